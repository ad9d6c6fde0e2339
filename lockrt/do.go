package lockrt

import (
	"context"
	"errors"
	"time"
)

// Mode says how a function ran.
type Mode int

// The modes.
const (
	// NotRun: the function did not run, and the error says why.
	NotRun Mode = iota
	// Locked: it ran under the lock.
	Locked
	// Skipped: it did not run, because somebody else holds the lock and OnContention(Skip) was asked for.
	Skipped
	// Degraded: it ran without the lock, because Redis could not be asked and OnOutage(Proceed) was asked for.
	Degraded
)

// String returns the mode's name in lower case.
func (m Mode) String() string {
	switch m {
	case Locked:
		return "locked"
	case Skipped:
		return "skipped"
	case Degraded:
		return "degraded"
	}
	return "not run"
}

// Outcome says what Do did.
type Outcome struct {
	Mode  Mode
	Fence int64 // of the lease, 0 without one
	// Waited is how long it took until the lock was acquired or given up; Held how long it was held.
	Waited, Held time.Duration
	// ReleaseErr is why the lock could not be released: ErrNotOwner, ErrExpired, ErrUnavailable or ErrMisconfigured. It is
	// not part of the error of Do, because the work is done and must not be done again for that.
	ReleaseErr error
}

// Do runs fn under a lock and releases it, also if fn panics. The context of fn ends when the lease is lost; fn must use
// it, and return when it ends.
//
// If fn ran, Do returns fn's error as it is. If the lease was lost meanwhile, an ErrLeaseLost is joined to it. If fn did
// not run, the error is one of Acquire's. Outcome.Mode tells the two apart.
func (l *Locker) Do(ctx context.Context, key Key, fn func(ctx context.Context) error, opts ...DoOption) (Outcome, error) {
	c := doCall(opts)
	le, waited, err := l.acquire(ctx, key, c)
	out := Outcome{Waited: waited}
	switch {
	case err == nil:
		le.boundTo(c.maxHold)
		return le.runUnder(ctx, fn, out)
	case c.onContention == Skip && errors.Is(err, ErrNotAcquired) && ctx.Err() == nil:
		out.Mode = Skipped
		return out, nil
	case c.onOutage == Proceed && errors.Is(err, ErrUnavailable) && ctx.Err() == nil:
		l.obs.emit(Event{Kind: EventDegraded, Prefix: key.prefix, Err: err})
		out.Mode = Degraded
		return out, fn(ctx)
	}
	return out, err
}

// DoValue is Do for a function with a result. If fn did not run, the result is the zero value.
func DoValue[T any](
	ctx context.Context, l *Locker, key Key, fn func(ctx context.Context) (T, error), opts ...DoOption,
) (T, Outcome, error) {
	var v T
	out, err := l.Do(ctx, key, func(ctx context.Context) (err error) {
		v, err = fn(ctx)
		return err
	}, opts...)
	return v, out, err
}

func (le *Lease) runUnder(ctx context.Context, fn func(context.Context) error, out Outcome) (result Outcome, err error) {
	result = out
	result.Mode, result.Fence = Locked, le.fence
	defer func() {
		result.Held = time.Since(le.began)
		result.ReleaseErr = le.Release(ctx)
	}()
	err = fn(&le.ctx)
	if lost := le.loss(); lost != nil {
		err = joined(err, lost)
	}
	return result, err
}

// joined adds a lost lease to fn's error, unless fn has returned it already.
func joined(err, lost error) error {
	switch {
	case err == nil:
		return lost
	case errors.Is(err, ErrLeaseLost):
		return err
	}
	return errors.Join(err, lost)
}
