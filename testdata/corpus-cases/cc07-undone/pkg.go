// Package undone counts visitors of a hall; what it adds it may have to take back.
package undone

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// ErrFull says that nobody else fits.
var ErrFull = errors.New("the hall is full")

// Seats keeps who is inside.
type Seats interface {
	Add(ctx context.Context, visitor string) (int64, error)
	Remove(ctx context.Context, visitor string) error
}

// Hall lets people in.
type Hall struct {
	locks *redsync.Redsync
	seats Seats
	room  int64
}

// Enter counts under the lock. Removing undoes an Add: Enter is no stand-in for Remove.
func (h *Hall) Enter(ctx context.Context, visitor string) error {
	mutex := h.locks.NewMutex("hall:count", redsync.WithExpiry(10*time.Second)) // ALSO-OK: key-ignores-entity
	if err := mutex.LockContext(ctx); err != nil {
		return fmt.Errorf("hall: %w", err)
	}
	defer func() { _, _ = mutex.UnlockContext(context.WithoutCancel(ctx)) }()
	n, err := h.seats.Add(ctx, visitor)
	if err != nil {
		return err
	}
	if n > h.room {
		if err := h.seats.Remove(ctx, visitor); err != nil {
			slog.Warn("visitor stays counted", "visitor", visitor, "err", err)
		}
		return ErrFull
	}
	return nil
}

// Leave needs no lock: removing is one command.
func (h *Hall) Leave(ctx context.Context, visitor string) error {
	return h.seats.Remove(ctx, visitor)
}

// Doors is a real stand-in for Seats, and Slip goes past it.
type Doors struct {
	locks *redsync.Redsync
	seats Seats
}

// Remove removes under the lock.
func (d *Doors) Remove(ctx context.Context, visitor string) error {
	mutex := d.locks.NewMutex("hall:doors", redsync.WithExpiry(10*time.Second))
	if err := mutex.LockContext(ctx); err != nil {
		return fmt.Errorf("doors: %w", err)
	}
	defer func() { _, _ = mutex.UnlockContext(context.WithoutCancel(ctx)) }()
	return d.seats.Remove(ctx, visitor)
}

// Slip goes past the doors' own lock.
func (d *Doors) Slip(ctx context.Context, visitor string) error {
	return d.seats.Remove(ctx, visitor) // EXPECT: self-call
}
