// EXPECT-NONE

// Package stopped renews, notices, and stops.
package stopped

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"

	"example.test/holding/lease"
)

var errLost = errors.New("lease lost")

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

func shardKey(shard int) string { return fmt.Sprintf("stopped:shard:%d", shard) }

// Cancel cancels the work, with a cause.
func (b *Builder) Cancel(ctx context.Context, shard int) error {
	held, err := b.own.Take(ctx, shardKey(shard), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		t := time.NewTicker(hold / 3)
		defer t.Stop()
		for {
			select {
			case <-work.Done():
				return
			case <-t.C:
				if ok, err := held.Renew(work); err != nil || !ok {
					cancel(errLost)
				}
			}
		}
	}()
	_, err = b.index.Step(work, shard)
	return err
}

// Handle is a lock with a heart.
type Handle struct {
	l    *redislock.Lock
	stop context.CancelFunc
	lost chan struct{}
	gone atomic.Bool
}

// Hold takes a lock whose Close ends the renewal.
func (b *Builder) Hold(ctx context.Context, shard int) (*Handle, error) {
	l, err := b.locks.Obtain(ctx, shardKey(shard), hold, nil)
	if err != nil {
		return nil, err
	}
	live, stop := context.WithCancel(context.WithoutCancel(ctx))
	h := &Handle{l: l, stop: stop, lost: make(chan struct{})}
	go h.beat(live)
	return h, nil
}

func (h *Handle) beat(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(hold / 3):
			if err := h.l.Refresh(ctx, hold, nil); err != nil {
				h.fail(err)
				return
			}
		}
	}
}

// fail remembers and tells.
func (h *Handle) fail(err error) {
	slog.Error("lost", "err", err)
	h.gone.Store(true)
	close(h.lost)
}

// Close ends the renewal and releases.
func (h *Handle) Close(ctx context.Context) error {
	h.stop()
	return h.l.Release(context.WithoutCancel(ctx))
}

// Return ends the work in an error.
func (b *Builder) Return(ctx context.Context, shard int) error {
	m := b.rs.NewMutex(shardKey(shard))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	for {
		more, err := b.index.Step(ctx, shard)
		if err != nil || !more {
			return err
		}
		if ok, err := m.ExtendContext(ctx); err != nil {
			return err
		} else if !ok {
			return errLost
		}
	}
}

// Quit closes the channel that the renewal waits for.
func (b *Builder) Quit(ctx context.Context, shard int) error {
	m := b.rs.NewMutex(shardKey(shard))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	quit, lost := make(chan struct{}), make(chan error, 1)
	defer close(quit)
	go func() {
		t := time.NewTicker(2 * time.Second)
		defer t.Stop()
		for {
			select {
			case <-quit:
				return
			case <-t.C:
				if ok, err := m.Extend(); err != nil || !ok {
					lost <- errors.Join(errLost, err)
					return
				}
			}
		}
	}()
	for more := true; more; {
		select {
		case err := <-lost:
			return err
		default:
		}
		var err error
		if more, err = b.index.Step(ctx, shard); err != nil {
			return err
		}
	}
	return nil
}

// Touch hands the answer on.
func (b *Builder) Touch(ctx context.Context, l *redislock.Lock) error {
	if err := l.Refresh(ctx, hold, nil); err != nil {
		return fmt.Errorf("touch: %w", err)
	}
	return nil
}

// Last extends when the work is over, so that the next round comes later.
func (b *Builder) Last(ctx context.Context, shard int) {
	l, err := b.locks.Obtain(ctx, shardKey(shard), hold, nil)
	if err != nil {
		return
	}
	if _, err := b.index.Step(ctx, shard); err != nil {
		_ = l.Release(context.WithoutCancel(ctx))
		return
	}
	_ = l.Refresh(ctx, time.Minute, nil)
}

// Session keeps a session alive, which is no lock.
func (b *Builder) Session(ctx context.Context, id string) {
	go func() {
		for range time.Tick(time.Minute) {
			b.rdb.Expire(ctx, "session:"+id, time.Hour)
		}
	}()
}
