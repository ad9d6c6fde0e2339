// Package renewed hands the extend of its mutex to a helper as a function value.
package renewed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
)

var errLost = errors.New("the lease is lost")

// Janitor runs one job at a time.
type Janitor struct{ locks *redsync.Redsync }

// With renews the lease of a long job while it runs.
func (j *Janitor) With(ctx context.Context, name string, longest time.Duration, job func(context.Context) error) error {
	mutex := j.locks.NewMutex(name, redsync.WithExpiry(longest), redsync.WithTries(1))
	if err := mutex.LockContext(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_, _ = mutex.UnlockContext(end)
	}()
	if longest >= time.Minute {
		return whileRenewed(ctx, longest/3, mutex.ExtendContext, job)
	}
	return job(ctx)
}

// whileRenewed runs the job and ends it when an extend fails.
func whileRenewed(ctx context.Context, every time.Duration, extend func(context.Context) (bool, error), job func(context.Context) error) error {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if ok, err := extend(ctx); !ok || err != nil {
					stop(errLost)
					return
				}
			}
		}
	}()
	return job(running)
}

// Sweep empties the archive: the long TTL is renewed, so that it says nothing about the recovery.
func (j *Janitor) Sweep(ctx context.Context, sweep func(context.Context) error) error {
	return j.With(ctx, "archive:sweep", 30*time.Minute, sweep)
}

// Plain has no renewal.
func (j *Janitor) Plain(ctx context.Context, job func(context.Context) error) error {
	mutex := j.locks.NewMutex("archive:plain", redsync.WithExpiry(30*time.Minute), redsync.WithTries(1)) // EXPECT: long-ttl
	if err := mutex.LockContext(ctx); err != nil {
		return fmt.Errorf("plain: %w", err)
	}
	defer func() { _, _ = mutex.UnlockContext(context.WithoutCancel(ctx)) }()
	return job(ctx)
}
