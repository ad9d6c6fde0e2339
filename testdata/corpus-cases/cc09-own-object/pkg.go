// EXPECT-NONE

// Package own makes, under the lock, an object whose method is also called elsewhere, on another object.
package own

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Report collects numbers.
type Report struct{ lines []string }

// NewReport makes an empty one.
func NewReport(lines []string) *Report { return &Report{lines: lines} }

// Send sends what is collected.
func (r *Report) Send(ctx context.Context) error {
	for _, l := range r.lines {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Println(l)
	}
	return nil
}

// Daily sends the report of the day once.
func Daily(locks *redsync.Redsync, lines []string) func(context.Context) error {
	return func(ctx context.Context) error {
		mutex := locks.NewMutex("report:daily", redsync.WithExpiry(20*time.Second), redsync.WithTries(1))
		if err := mutex.LockContext(ctx); err != nil {
			return fmt.Errorf("daily: %w", err)
		}
		defer func() { _, _ = mutex.UnlockContext(context.WithoutCancel(ctx)) }()
		return NewReport(lines).Send(ctx)
	}
}

// Now sends a report of its own.
func Now(ctx context.Context, r *Report) error { return r.Send(ctx) }
