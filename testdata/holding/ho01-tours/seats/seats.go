// Package seats clears the seats of a tour.
package seats

import (
	"context"
	"fmt"
	"time"

	"example.test/holding/lease"
)

// Seats clears.
type Seats struct {
	Own   *lease.Locker
	Clean func(ctx context.Context, tour int64) error
}

// Key is the lock of the seats of a tour.
func Key(tour int64) string { return fmt.Sprintf("seats:%d", tour) }

// Clear takes the lock.
func (s *Seats) Clear(ctx context.Context, tour int64) error {
	return s.Own.With(ctx, Key(tour), time.Minute, func(ctx context.Context) error { // EXPECT: reentrant-deadlock
		return s.Clean(ctx, tour)
	})
}
