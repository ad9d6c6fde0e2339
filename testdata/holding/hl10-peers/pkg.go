// EXPECT-NONE

// Package peers translates published false reports of linters for other resources to locks. Each function is named by its
// ticket.
package peers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"

	"example.test/holding/lease"
)

const ttl = 10 * time.Second

var errNo = errors.New("no")

// Work is what sections do.
type Work interface {
	Do(ctx context.Context, id int64) error
	Ready(ctx context.Context, id int64) (bool, error)
}

// Desk has locks.
type Desk struct {
	locks *redislock.Client
	own   *lease.Locker
	rs    *redsync.Redsync
	work  Work

	mu   sync.Mutex
	held map[int64]*redislock.Lock
	last *redislock.Lock
	jobs chan *lease.Lease
}

func key(id int64) string { return fmt.Sprintf("peers:%d", id) }

func obtain(ctx context.Context, d *Desk, id int64) (*redislock.Lock, error) {
	return d.locks.Obtain(ctx, key(id), ttl, nil)
}

// quietly releases and logs.
func quietly(ctx context.Context, l *redislock.Lock) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if err := l.Release(end); err != nil {
		slog.Warn("release", "err", err)
	}
}

// Bodyclose30 lets a helper release.
func (d *Desk) Bodyclose30(ctx context.Context, id int64) error {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return err
	}
	if ok, err := d.work.Ready(ctx, id); err != nil || !ok {
		quietly(ctx, l)
		return errNo
	}
	defer quietly(ctx, l)
	return d.work.Do(ctx, id)
}

// Bodyclose80 releases in a helper of a helper, by a deferred method value.
func (d *Desk) Bodyclose80(ctx context.Context, id int64) error {
	l, err := d.own.Take(ctx, key(id), ttl)
	if err != nil {
		return err
	}
	done := finisher{l}.finish
	defer done(ctx)
	if id == 0 {
		return errNo
	}
	return d.work.Do(ctx, id)
}

type finisher struct{ l *lease.Lease }

func (f finisher) finish(ctx context.Context) { _ = f.l.Free(ctx) }

// FabricSmartClient1778 is a factory: on success the lock is the caller's, on failure it is given back.
func (d *Desk) FabricSmartClient1778(ctx context.Context, id int64) (*redislock.Lock, error) {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return nil, err
	}
	ok, err := d.work.Ready(ctx, id)
	if err != nil {
		quietly(ctx, l)
		return nil, err
	}
	if !ok {
		quietly(ctx, l)
		return nil, errNo
	}
	return l, nil
}

// session owns a lock and closes it.
type session struct {
	id int64
	l  *redislock.Lock
}

func (s *session) close(ctx context.Context) { quietly(ctx, s.l) }

// Spancheck12 wraps the lock into an object that the caller closes.
func (d *Desk) Spancheck12(ctx context.Context, id int64) (*session, error) {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return nil, err
	}
	if ok, _ := d.work.Ready(ctx, id); !ok {
		quietly(ctx, l)
		return nil, errNo
	}
	s := &session{id: id, l: l}
	if id > 100 {
		return s, nil
	}
	return s, nil
}

// Spancheck24 returns a closure that releases.
func (d *Desk) Spancheck24(ctx context.Context, id int64) (func(), error) {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return nil, err
	}
	if id < 0 {
		quietly(ctx, l)
		return nil, errNo
	}
	return func() { quietly(ctx, l) }, nil
}

// Spancheck33 hands the lock to a callback, which releases it.
func (d *Desk) Spancheck33(ctx context.Context, id int64, then func(context.Context, *redislock.Lock) error) error {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return err
	}
	if id < 0 {
		quietly(ctx, l)
		return errNo
	}
	return then(ctx, l)
}

// Sqlclosecheck43 releases in a deferred function literal.
func (d *Desk) Sqlclosecheck43(ctx context.Context, id int64) (err error) {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return err
	}
	defer func() {
		if rerr := l.Release(context.WithoutCancel(ctx)); rerr != nil {
			err = errors.Join(err, rerr)
		}
	}()
	if id == 7 {
		return errNo
	}
	return d.work.Do(ctx, id)
}

// Sqlclosecheck35 releases through a type that embeds the lock.
func (d *Desk) Sqlclosecheck35(ctx context.Context, id int64) error {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return err
	}
	w := struct{ *redislock.Lock }{l}
	defer func() { _ = w.Release(context.WithoutCancel(ctx)) }()
	if id == 8 {
		return errNo
	}
	return d.work.Do(ctx, id)
}

// GosecG118i1591 keeps the lock in a field, and Stop releases it.
func (d *Desk) GosecG118i1591(ctx context.Context, id int64) error {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return err
	}
	if id < 0 {
		quietly(ctx, l)
		return errNo
	}
	d.last = l
	return d.work.Do(ctx, id)
}

// Stop releases the last lock.
func (d *Desk) Stop(ctx context.Context) { quietly(ctx, d.last) }

// GosecG118i1593 keeps it in a map under a mutex.
func (d *Desk) GosecG118i1593(ctx context.Context, id int64) error {
	l, err := obtain(ctx, d, id)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held[id] != nil {
		quietly(ctx, l)
		return errNo
	}
	d.held[id] = l
	return nil
}

// GosecG118i1595 hands it to a goroutine.
func (d *Desk) GosecG118i1595(ctx context.Context, id int64) error {
	l, err := d.own.Take(ctx, key(id), ttl)
	if err != nil {
		return err
	}
	if id < 0 {
		_ = l.Free(ctx)
		return errNo
	}
	go func() {
		defer l.Free(context.WithoutCancel(ctx))
		if err := d.work.Do(context.WithoutCancel(ctx), id); err != nil {
			slog.Warn("work", "err", err)
		}
	}()
	return nil
}

// GosecG118i1596 sends it to a worker.
func (d *Desk) GosecG118i1596(ctx context.Context, id int64) error {
	l, err := d.own.Take(ctx, key(id), ttl)
	if err != nil {
		return err
	}
	if id < 0 {
		_ = l.Free(ctx)
		return errNo
	}
	d.jobs <- l
	return nil
}

// LostcancelGo65682 releases on every path, in a variable that is assigned in branches.
func (d *Desk) LostcancelGo65682(ctx context.Context, id int64, soon bool) error {
	var release func()
	var err error
	if soon {
		release, err = d.own.Acquire(ctx, key(id), time.Second)
	} else {
		release, err = d.own.Acquire(ctx, key(id), ttl)
	}
	if err != nil {
		return err
	}
	defer release()
	if id == 3 {
		return errNo
	}
	return d.work.Do(ctx, id)
}

// Checklocks14237 releases in a closure that captures the lock and is called on each way out.
func (d *Desk) Checklocks14237(ctx context.Context, id int64) error {
	m := d.rs.NewMutex(key(id))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	leave := func(err error) error {
		_, uerr := m.UnlockContext(context.WithoutCancel(ctx))
		return errors.Join(err, uerr)
	}
	if ok, err := d.work.Ready(ctx, id); err != nil || !ok {
		return leave(errNo)
	}
	return leave(d.work.Do(ctx, id))
}

// StaticcheckSA2003i581 defers the release, and asks again for the result.
func (d *Desk) StaticcheckSA2003i581(ctx context.Context, id int64) error {
	l, err := d.own.Take(ctx, key(id), ttl)
	defer func() {
		if err == nil {
			_ = l.Free(ctx)
		}
	}()
	if err != nil {
		return err
	}
	if id == 4 {
		return errNo
	}
	return d.work.Do(ctx, id)
}

// Copylock26165 is handed on through an interface.
func (d *Desk) Copylock26165(ctx context.Context, id int64) error {
	var l lease.Lock
	held, err := d.own.Take(ctx, key(id), ttl)
	if err != nil {
		return err
	}
	l = held
	defer l.Free(ctx)
	if id == 5 {
		return errNo
	}
	return d.work.Do(ctx, id)
}

// Nilaway410 asks the same error twice.
func (d *Desk) Nilaway410(ctx context.Context, id int64) error {
	l, err := d.own.Take(ctx, key(id), ttl)
	if err != nil {
		return err
	}
	err = d.work.Do(ctx, id)
	if err != nil {
		slog.Warn("work", "err", err)
		_ = l.Free(ctx)
	}
	if err != nil {
		return err
	}
	return l.Free(ctx)
}
