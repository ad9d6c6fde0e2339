// EXPECT-NONE

// Package keptright leaves sections in ways that only look like leaks.
package keptright

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"example.test/holding/lease"
)

var errLost = errors.New("lease lost")

const ttl = 10 * time.Second

// Work is what sections do.
type Work interface {
	Step(ctx context.Context) (more bool, err error)
	Publish(ctx context.Context, url string) (accepted bool)
}

// Runner runs.
type Runner struct {
	own    *lease.Locker
	rs     *redsync.Redsync
	rdb    *redis.Client
	work   Work
	shared bool
	lead   *redsync.Mutex
	leads  bool
}

// Extend leaves where the lease is lost: there is nothing to release.
func (r *Runner) Extend(ctx context.Context) error {
	m := r.rs.NewMutex("kept:run", redsync.WithExpiry(ttl))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	for {
		more, err := r.work.Step(ctx)
		if err != nil || !more {
			_, uerr := m.UnlockContext(context.WithoutCancel(ctx))
			return errors.Join(err, uerr)
		}
		if ok, err := m.ExtendContext(ctx); err != nil || !ok {
			return errLost
		}
	}
}

// Maybe locks only in a cluster, and asks the same setting twice.
func (r *Runner) Maybe(ctx context.Context) error {
	var held *lease.Lease
	if r.shared {
		var err error
		if held, err = r.own.Take(ctx, "kept:maybe", ttl); err != nil {
			return err
		}
	}
	_, err := r.work.Step(ctx)
	if r.shared {
		err = errors.Join(err, held.Free(ctx))
	}
	return err
}

// Mark keeps the key where the work was done: a mark and no lock.
func (r *Runner) Mark(ctx context.Context, url string) bool {
	first, err := r.rdb.SetNX(ctx, "kept:seen:"+url, "1", time.Hour).Result()
	if err != nil || !first {
		return false
	}
	if !r.work.Publish(ctx, url) {
		r.rdb.Del(ctx, "kept:seen:"+url)
		return false
	}
	return true
}

// Lead keeps the leadership from call to call.
func (r *Runner) Lead(ctx context.Context) error {
	if !r.leads {
		if err := r.lead.TryLockContext(ctx); err != nil {
			return err
		}
		r.leads = true
	}
	if _, err := r.work.Step(ctx); err != nil {
		r.leads = false
		_, uerr := r.lead.Unlock()
		return errors.Join(err, uerr)
	}
	return nil
}

// Fatal ends the process; the lease ends by itself.
func (r *Runner) Fatal(ctx context.Context) {
	held, err := r.own.Take(ctx, "kept:fatal", ttl)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := r.work.Step(ctx); err != nil {
		log.Fatal(err)
	}
	if err := held.Free(ctx); err != nil {
		log.Print(err)
	}
}

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// TryRun tells its caller by its result whether it holds the lock; done gives it back.
func (r *Runner) TryRun(ctx context.Context, own string) bool {
	ok, err := r.rdb.SetNX(ctx, "kept:try", own, ttl).Result()
	if err != nil || !ok {
		return false
	}
	if more, err := r.work.Step(ctx); err != nil || !more {
		drop.Run(context.WithoutCancel(ctx), r.rdb, []string{"kept:try"}, own)
		return false
	}
	return true
}

// Run uses TryRun.
func (r *Runner) Run(ctx context.Context) {
	own := uuid.NewString()
	if !r.TryRun(ctx, own) {
		return
	}
	end, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	drop.Run(end, r.rdb, []string{"kept:try"}, own)
}

// Flag releases by a flag that is set where the lock was taken.
func (r *Runner) Flag(ctx context.Context) error {
	held := false
	m := r.rs.NewMutex("kept:flag")
	if err := m.TryLock(); err == nil {
		held = true
	}
	_, err := r.work.Step(ctx)
	if held {
		_, uerr := m.Unlock()
		return errors.Join(err, uerr)
	}
	return err
}
