// Package tours sells tours and asks for a lock that it has.
package tours

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"

	"example.test/holding/ho01-tours/seats"
	"example.test/holding/lease"
)

// Store keeps tours.
type Store interface {
	Sell(ctx context.Context, tour int64) error
	Drop(ctx context.Context, tour int64) error
}

// Tours sells.
type Tours struct {
	own   *lease.Locker
	locks *redislock.Client
	rs    *redsync.Redsync
	store Store
	seats *seats.Seats
}

func tourKey(tour int64) string { return fmt.Sprintf("tours:%d", tour) }

const hold = time.Minute

// Sell takes the lock of the tour.
func (t *Tours) Sell(ctx context.Context, tour int64) error {
	return t.own.With(ctx, tourKey(tour), hold, func(ctx context.Context) error { // EXPECT: reentrant-deadlock
		return t.store.Sell(ctx, tour)
	})
}

// Cancel sells again what it has cancelled, under the same lock.
func (t *Tours) Cancel(ctx context.Context, tour int64) error {
	return t.own.With(ctx, tourKey(tour), hold, func(ctx context.Context) error {
		if err := t.store.Drop(ctx, tour); err != nil {
			return err
		}
		return t.resell(ctx, tour)
	})
}

func (t *Tours) resell(ctx context.Context, tour int64) error {
	if err := t.Sell(ctx, tour); err != nil { // ALSO-OK: reentrant-deadlock
		return fmt.Errorf("resell: %w", err)
	}
	return nil
}

// Twice is wrong in one function.
func (t *Tours) Twice(ctx context.Context, tour int64) error {
	a := t.rs.NewMutex(tourKey(tour))
	if err := a.LockContext(ctx); err != nil {
		return err
	}
	defer a.Unlock()
	b := t.rs.NewMutex(tourKey(tour))
	if err := b.LockContext(ctx); err != nil { // EXPECT: reentrant-deadlock
		return err
	}
	defer b.Unlock()
	return t.store.Sell(ctx, tour)
}

// obtain is a helper.
func (t *Tours) obtain(ctx context.Context, tour int64) (*redislock.Lock, error) {
	return t.locks.Obtain(ctx, tourKey(tour), hold, nil)
}

func (t *Tours) drop(ctx context.Context, tour int64) error {
	l, err := t.obtain(ctx, tour) // EXPECT: reentrant-deadlock
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return t.store.Drop(ctx, tour)
}

// Move holds the lock of the old tour while it drops that tour.
func (t *Tours) Move(ctx context.Context, from int64) error {
	l, err := t.obtain(ctx, from)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return t.drop(ctx, from)
}

// Nightly has one key for all.
func (t *Tours) Nightly(ctx context.Context) error {
	held, err := t.own.Wait(ctx, "tours:nightly", hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	steps := []func(context.Context) error{t.tidy, t.count}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tours) tidy(ctx context.Context) error { return t.store.Drop(ctx, 0) }

func (t *Tours) count(ctx context.Context) (err error) {
	held, err := t.own.Wait(ctx, "tours:nightly", hold) // EXPECT: reentrant-deadlock
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Free(ctx)) }()
	return t.store.Sell(ctx, 0)
}

// Seats goes through another package, which locks the same key.
func (t *Tours) Seats(ctx context.Context, tour int64) error {
	held, err := t.own.Wait(ctx, seats.Key(tour), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	return t.seats.Clear(ctx, tour) // ALSO-OK: reentrant-deadlock
}

// Refund holds the lock as a value and calls through an interface.
func (t *Tours) Refund(ctx context.Context, tour int64) error {
	release, err := t.own.Acquire(ctx, tourKey(tour), hold)
	if err != nil {
		return err
	}
	defer release()
	var again refunder = refunds{t}
	return again.refund(ctx, tour)
}

type refunder interface {
	refund(ctx context.Context, tour int64) error
}

type refunds struct{ t *Tours }

func (r refunds) refund(ctx context.Context, tour int64) error {
	release, err := r.t.own.Acquire(ctx, tourKey(tour), hold) // EXPECT: reentrant-deadlock
	if err != nil {
		return err
	}
	defer release()
	return r.t.store.Drop(ctx, tour)
}
