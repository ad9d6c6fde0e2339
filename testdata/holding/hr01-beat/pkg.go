// Package beat keeps leases alive and does not notice when that fails.
package beat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"example.test/holding/lease"
)

// Index is rebuilt.
type Index interface {
	Step(ctx context.Context, shard int) (more bool, err error)
}

// Builder rebuilds.
type Builder struct {
	own   *lease.Locker
	locks *redislock.Client
	rs    *redsync.Redsync
	rdb   *redis.Client
	index Index
}

const hold = 30 * time.Second

func shardKey(shard int) string { return fmt.Sprintf("beat:shard:%d", shard) }

// Refresh logs only.
func (b *Builder) Refresh(ctx context.Context, shard int) error {
	l, err := b.locks.Obtain(ctx, shardKey(shard), hold, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	for {
		more, err := b.index.Step(ctx, shard)
		if err != nil || !more {
			return err
		}
		if err := l.Refresh(ctx, hold, nil); err != nil { // EXPECT: lost-lease-ignored
			slog.Warn("refresh", "shard", shard, "err", err)
		}
	}
}

// Dropped does not look.
func (b *Builder) Dropped(ctx context.Context, shard int) error {
	m := b.rs.NewMutex(shardKey(shard), redsync.WithExpiry(hold))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	for more := true; more; {
		var err error
		if more, err = b.index.Step(ctx, shard); err != nil {
			return err
		}
		m.ExtendContext(ctx) // EXPECT: lost-lease-ignored
	}
	return nil
}

var (
	extend  = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Owner is a home-made handle.
type Owner struct {
	rdb      *redis.Client
	key, own string
	stop     chan struct{}
}

// Own takes the lock and renews it.
func (b *Builder) Own(ctx context.Context, shard int) (*Owner, error) {
	o := &Owner{rdb: b.rdb, key: shardKey(shard), own: uuid.NewString(), stop: make(chan struct{})}
	ok, err := b.rdb.SetNX(ctx, o.key, o.own, hold).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("shard is being built")
	}
	go o.beat()
	return o, nil
}

func (o *Owner) beat() {
	t := time.NewTicker(hold / 3)
	defer t.Stop()
	for {
		select {
		case <-o.stop:
			return
		case <-t.C:
			n, err := extend.Run(context.Background(), o.rdb, []string{o.key}, o.own, hold.Milliseconds()).Int() // EXPECT: lost-lease-ignored
			if err != nil || n == 0 {
				slog.Error("lease lost", "key", o.key, "err", err)
				return
			}
		}
	}
}

// Done releases.
func (o *Owner) Done(ctx context.Context) error {
	close(o.stop)
	return release.Run(context.WithoutCancel(ctx), o.rdb, []string{o.key}, o.own).Err()
}

// Keep extends, and swallows the answer on its way to the caller.
func (o *Owner) Keep(ctx context.Context) error {
	n, err := extend.Run(ctx, o.rdb, []string{o.key}, o.own, hold.Milliseconds()).Int() // EXPECT: lost-lease-ignored
	if err != nil {
		slog.Warn("keep", "err", err)
		return nil
	}
	if n == 0 {
		slog.Warn("not ours any more", "key", o.key)
	}
	return nil
}

// Half sees an error of Redis, and not that somebody else has the lock.
func (o *Owner) Half(ctx context.Context) error {
	return extend.Run(ctx, o.rdb, []string{o.key}, o.own, hold.Milliseconds()).Err() // EXPECT: lost-lease-ignored
}

// Caller asks a helper and goes on.
func (b *Builder) Caller(ctx context.Context, shard int) error {
	held, err := b.own.Take(ctx, shardKey(shard), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	if _, err := b.index.Step(ctx, shard); err != nil {
		return err
	}
	_, _ = held.Renew(ctx) // EXPECT: lost-lease-ignored
	_, err = b.index.Step(ctx, shard+1)
	return err
}

// Forever renews with no way out.
func (b *Builder) Forever(ctx context.Context, shard int) error {
	held, err := b.own.Take(ctx, shardKey(shard), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	go func() { // EXPECT: renewal-leak
		for range time.Tick(hold / 3) {
			if _, err := held.Renew(context.WithoutCancel(ctx)); err != nil { // EXPECT: lost-lease-ignored
				slog.Warn("renew", "err", err)
			}
		}
	}()
	_, err = b.index.Step(ctx, shard)
	return err
}

// Caller's context ends some day, and not with the lock.
func (b *Builder) Long(ctx context.Context, shard int) error {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, shardKey(shard), own, hold).Result()
	if err != nil || !ok {
		return errors.Join(err, errors.New("busy"))
	}
	go b.renew(ctx, shard, own) // EXPECT: renewal-leak
	_, err = b.index.Step(ctx, shard)
	return errors.Join(err, release.Run(context.WithoutCancel(ctx), b.rdb, []string{shardKey(shard)}, own).Err())
}

func (b *Builder) renew(ctx context.Context, shard int, own string) {
	t := time.NewTicker(hold / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			err := extend.Run(ctx, b.rdb, []string{shardKey(shard)}, own, hold.Milliseconds()).Err() // EXPECT: lost-lease-ignored
			if err != nil {
				slog.Warn("renew", "err", err)
			}
		}
	}
}

// Background renews on a context that nothing ends.
func (b *Builder) Background(ctx context.Context, shard int) error {
	l, err := b.locks.Obtain(ctx, shardKey(shard), hold, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	go keepAlive(context.Background(), l) // EXPECT: renewal-leak
	_, err = b.index.Step(ctx, shard)
	return err
}

func keepAlive(ctx context.Context, l *redislock.Lock) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(hold / 3):
			_ = l.Refresh(ctx, hold, nil) // EXPECT: lost-lease-ignored
		}
	}
}

// Unclosed waits for a channel that nobody closes.
func (b *Builder) Unclosed(ctx context.Context, shard int) error {
	m := b.rs.NewMutex(shardKey(shard))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	quit := make(chan struct{})
	go func() { // EXPECT: renewal-leak
		t := time.NewTicker(2 * time.Second)
		for {
			select {
			case <-quit:
				return
			case <-t.C:
				_, _ = m.Extend() // EXPECT: lost-lease-ignored
			}
		}
	}()
	_, err := b.index.Step(ctx, shard)
	return err
}

// Sleeping sleeps between two renewals.
func (b *Builder) Sleeping(ctx context.Context, shard int) error {
	m := b.rs.NewMutex(shardKey(shard))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	go sleeper(m) // EXPECT: renewal-leak
	_, err := b.index.Step(ctx, shard)
	return err
}

func sleeper(m *redsync.Mutex) {
	for {
		time.Sleep(2 * time.Second)
		if ok, err := m.Extend(); err != nil || !ok { // EXPECT: lost-lease-ignored
			slog.Warn("extend", "err", err)
		}
	}
}

// Loop renews in a deferred-less method goroutine of a handle.
func (b *Builder) Loop(ctx context.Context, shard int) (*Holder, error) {
	held, err := b.own.Take(ctx, shardKey(shard), hold)
	if err != nil {
		return nil, err
	}
	h := &Holder{held: held, lost: make(chan error, 1)}
	go h.loop() // EXPECT: renewal-leak
	return h, nil
}

// Holder holds.
type Holder struct {
	held *lease.Lease
	lost chan error
}

func (h *Holder) loop() {
	for range time.NewTicker(hold / 3).C {
		if ok, err := h.held.Renew(context.Background()); err != nil || !ok {
			select {
			case h.lost <- errors.Join(errors.New("lost"), err):
			default:
			}
		}
	}
}

// Free releases.
func (h *Holder) Free(ctx context.Context) error { return h.held.Free(ctx) }

// Kept remembers until when it has the lock.
type Kept struct {
	l     *redislock.Lock
	until time.Time
}

// Touch says nil also where it failed.
func (k *Kept) Touch(ctx context.Context) (err error) {
	err = k.l.Refresh(ctx, hold, nil) // EXPECT: lost-lease-ignored
	if err != nil {
		err = fmt.Errorf("touch: %w", err)
	} else {
		k.until = time.Now().Add(hold)
	}
	return nil
}
