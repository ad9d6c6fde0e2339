// Package fence refuses writes of stale owners at the store.
//
// A lock cannot do that. Its owner may be stopped after the last look at the lease and before the write; when it
// continues, somebody else holds the lock and has written, and the old write would undo that. So every write carries the
// fence of its lease, a number that is higher for each later owner, and the store keeps the highest number it has seen and
// refuses a lower one. The check and the write must be one atomic step in the store; each guard here says how it is.
//
//	_, err := locker.Do(ctx, key, func(ctx context.Context) error {
//		lease, _ := lockrt.FromContext(ctx)
//		return guard.Write(ctx, db, lease.Fence(), ...)
//	})
//
// The same fence is accepted again: an owner may write many times. A fence of 0 or less is refused, so that a function
// that runs without a lock (Outcome.Mode Degraded) cannot pass for an owner.
package fence

import (
	"errors"
	"fmt"
)

// ErrStale says that the store has seen a later owner. Nothing was written. errors.As finds a *StaleError.
var ErrStale = errors.New("fence: stale owner")

// StaleError is the detail of ErrStale.
type StaleError struct {
	Resource string
	Fence    int64 // of the refused write
	Seen     int64 // the highest one so far; 0 if the guard does not know it
}

// Error implements error.
func (e *StaleError) Error() string {
	if e.Seen == 0 {
		return fmt.Sprintf("%v: %q was written with a fence above %d", ErrStale, e.Resource, e.Fence)
	}
	return fmt.Sprintf("%v: %q has seen fence %d, this write has %d", ErrStale, e.Resource, e.Seen, e.Fence)
}

// Unwrap lets errors.Is find ErrStale.
func (e *StaleError) Unwrap() error { return ErrStale }

// valid refuses what is no fence.
func valid(resource string, fence int64) error {
	if fence <= 0 {
		return &StaleError{Resource: resource, Fence: fence}
	}
	return nil
}
