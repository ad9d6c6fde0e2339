// EXPECT-NONE

// Package rules keeps to the rules of lock libraries.
package rules

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/rueidis/rueidislock"
	"github.com/zeromicro/go-zero/core/stores/redis"
)

// Table is changed.
type Table interface {
	Replace(ctx context.Context, carrier string) error
}

// Pump is one flow that locks and unlocks in turn.
type Pump struct {
	mutex *redsync.Mutex
	table Table
}

// New makes it.
func New(rs *redsync.Redsync, table Table) *Pump {
	return &Pump{mutex: rs.NewMutex("rules:pump"), table: table}
}

// Run pumps.
func (p *Pump) Run(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			_ = p.pump(ctx)
		}
	}
}

func (p *Pump) pump(ctx context.Context) error {
	if err := p.mutex.LockContext(ctx); err != nil {
		return err
	}
	err := p.table.Replace(ctx, "pump")
	if ok, uerr := p.mutex.Unlock(); uerr != nil || !ok {
		return errors.Join(err, uerr)
	}
	return err
}

// Each makes a mutex for each section.
func Each(ctx context.Context, rs *redsync.Redsync, carriers []string, t Table) {
	for _, c := range carriers {
		go func() {
			m := rs.NewMutex("rules:" + c)
			if m.LockContext(ctx) != nil {
				return
			}
			err := t.Replace(ctx, c)
			if ok, uerr := m.Unlock(); !ok || errors.Join(err, uerr) != nil {
				return
			}
		}()
	}
}

// Unlock is told the owner value.
func Unlock(rs *redsync.Redsync, carrier, value string) (bool, error) {
	return rs.NewMutex("rules:"+carrier, redsync.WithValue(value)).Unlock()
}

// Set sets the expiry.
func Set(ctx context.Context, store *redis.Redis, t Table) error {
	l := redis.NewRedisLock(store, "rules:set")
	l.SetExpire(30)
	ok, err := l.AcquireCtx(ctx)
	if err != nil || !ok {
		return err
	}
	defer func() { _, _ = l.Release() }()
	return t.Replace(ctx, "set")
}

// Used works on the lock's context.
func Used(ctx context.Context, l rueidislock.Locker, t Table) error {
	work, done, err := l.WithContext(ctx, "rules:used")
	if err != nil {
		return err
	}
	defer done()
	return t.Replace(work, "used")
}

// Obtain leaves the release to its caller.
func Obtain(ctx context.Context, c *redislock.Client, t Table) (*redislock.Lock, error) {
	l, err := c.Obtain(ctx, "rules:obtain", time.Minute, nil)
	if err != nil {
		return nil, err
	}
	if err := t.Replace(ctx, "first"); err != nil {
		return nil, errors.Join(err, l.Release(context.WithoutCancel(ctx)))
	}
	return l, nil
}
