package lockrt

import (
	"errors"
	"fmt"
	"time"
)

// What can go wrong, for errors.Is. Contention, outage and misconfiguration never match the same error, and none of them is
// ever put around an error of the function that ran under the lock.
var (
	// ErrNotAcquired says that somebody else holds the lock, or has the next turn. errors.As finds a *NotAcquiredError. If
	// the caller's context ended the wait, the context's error matches too.
	ErrNotAcquired = errors.New("lockrt: not acquired")
	// ErrUnavailable says that Redis could not be asked, so nothing is known about the lock. errors.As finds an
	// *UnavailableError.
	ErrUnavailable = errors.New("lockrt: redis unavailable")
	// ErrMisconfigured says that Redis answered and will not do it, now or later: no rights, a key of another type, a
	// command that does not exist. OnOutage(Proceed) does not cover it. errors.As finds a *MisconfiguredError.
	ErrMisconfigured = errors.New("lockrt: misconfigured")
	// ErrLeaseLost says that the lock may have gone to somebody else while it was thought to be held. It is the cause of
	// the context under the lock, and is joined to the error that Do returns. errors.As finds a *LeaseLostError.
	ErrLeaseLost = errors.New("lockrt: lease lost")
	// ErrNotOwner says that somebody else held the lock when it was to be released. It was left alone.
	ErrNotOwner = errors.New("lockrt: not the owner")
	// ErrExpired says that nobody held the lock any more when it was to be released.
	ErrExpired = errors.New("lockrt: lease expired")
	// ErrReentrant says that the flow would wait for itself: its context says that it already holds this lock.
	ErrReentrant = errors.New("lockrt: already held by this flow")
	// ErrBadKey says that a key has an empty part, or a part with a separator in it.
	ErrBadKey = errors.New("lockrt: bad key")
	// ErrClosed says that the Locker has been closed.
	ErrClosed = errors.New("lockrt: closed")
)

// NotAcquiredError is the detail of ErrNotAcquired.
type NotAcquiredError struct {
	Key    string
	Waited time.Duration
	// HolderTTL is how long the holder's key was to live when last looked at; 0 if that is not known, below 0 if the key
	// never expires. A holder that renews its lease keeps it longer than that.
	HolderTTL time.Duration
	// Foreign is true when the holder is not lockrt: an older lock on the same key.
	Foreign bool
	// Cause is the error of the caller's context if that ended the wait, or nil.
	Cause error

	reserved bool // it is free, but another process has been woken for it
}

// Error implements error.
func (e *NotAcquiredError) Error() string {
	who := "held by another owner"
	switch {
	case e.Foreign:
		who = "held by an older lock"
	case e.reserved:
		who = "free, but it is another waiter's turn"
	}
	if e.HolderTTL < 0 {
		who += " whose key never expires"
	}
	s := fmt.Sprintf("%v: %q is %s; waited %v", ErrNotAcquired, e.Key, who, e.Waited.Round(time.Millisecond))
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap lets errors.Is find ErrNotAcquired and the context's error.
func (e *NotAcquiredError) Unwrap() []error { return with(ErrNotAcquired, e.Cause) }

// UnavailableError is the detail of ErrUnavailable.
type UnavailableError struct {
	Op    string // acquire, release, check
	Key   string
	Cause error
	// NotReplicated is true when the lock was taken but too few replicas confirmed it, see WithReplicaAck. It has been
	// given back.
	NotReplicated bool
}

// Error implements error.
func (e *UnavailableError) Error() string {
	return fmt.Sprintf("%v: %s %q: %v", ErrUnavailable, e.Op, e.Key, e.Cause)
}

// Unwrap lets errors.Is find ErrUnavailable and the cause.
func (e *UnavailableError) Unwrap() []error { return with(ErrUnavailable, e.Cause) }

// MisconfiguredError is the detail of ErrMisconfigured.
type MisconfiguredError struct {
	Op    string // new, acquire, release, check
	Key   string // "" if it is not about one key
	Cause error
}

// Error implements error.
func (e *MisconfiguredError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%v: %s: %v", ErrMisconfigured, e.Op, e.Cause)
	}
	return fmt.Sprintf("%v: %s %q: %v", ErrMisconfigured, e.Op, e.Key, e.Cause)
}

// Unwrap lets errors.Is find ErrMisconfigured and the cause.
func (e *MisconfiguredError) Unwrap() []error { return with(ErrMisconfigured, e.Cause) }

// LossReason says how a lease was found to be lost.
type LossReason string

// The reasons.
const (
	// LostInTime: no renewal was confirmed before the lease's end came near, by the clocks of this machine. Redis may be
	// gone, or this process was stopped.
	LostInTime LossReason = "not renewed in time"
	// LostToOwner: Redis says that another owner has it.
	LostToOwner LossReason = "taken by another owner"
	// LostKey: Redis says that the key is gone: deleted, evicted, or lost in a failover.
	LostKey LossReason = "the key is gone"
)

// LeaseLostError is the detail of ErrLeaseLost.
type LeaseLostError struct {
	Key    string
	Reason LossReason
	Cause  error // the last error of a renewal, or nil
}

// Error implements error.
func (e *LeaseLostError) Error() string {
	s := fmt.Sprintf("%v: %q: %s", ErrLeaseLost, e.Key, string(e.Reason))
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap lets errors.Is find ErrLeaseLost and the cause.
func (e *LeaseLostError) Unwrap() []error { return with(ErrLeaseLost, e.Cause) }

func with(class, cause error) []error {
	if cause == nil {
		return []error{class}
	}
	return []error{class, cause}
}
