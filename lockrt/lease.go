package lockrt

import (
	"context"
	"sync"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// Lease is a lock that is held. It is renewed until it is released or lost. All methods are safe for concurrent use, and
// any goroutine may release it.
type Lease struct {
	l      *Locker
	key    Key
	keys   protocol.Keys
	owner  string
	fence  int64
	parent *Lease // held by the flow that acquired this one
	ctx    leaseContext
	cancel context.CancelCauseFunc
	began  time.Time
	expiry *time.Timer // ends the context when no renewal is confirmed in time
	bound  *time.Timer // of MaxHold, or nil

	mu       sync.Mutex
	from     instant // before the last successful acquire or renewal was sent
	lost     *LeaseLostError
	ended    bool  // being released: neither renewed nor lost any more
	bounded  bool  // by MaxHold: not renewed any more, but still held
	renewErr error // of the last renewal

	task renewal

	once       sync.Once
	releaseErr error
}

// newLease starts the life of a lock that was acquired by a command sent at from.
func (l *Locker) newLease(ctx context.Context, key Key, keys protocol.Keys, owner string, got granted) *Lease {
	le := &Lease{l: l, key: key, keys: keys, owner: owner, fence: got.fence, from: got.sent, began: time.Now()}
	le.parent, _ = FromContext(ctx)
	inner, cancel := context.WithCancelCause(ctx)
	le.ctx, le.cancel = leaseContext{Context: inner, lease: le}, cancel
	l.users.stay()
	l.obs.count(EventHeld, key.prefix, 1)
	le.mu.Lock()
	le.expiry = time.AfterFunc(le.left(), le.onExpiry)
	le.mu.Unlock()
	l.dog.add(le)
	return le
}

// Context returns a context for the work under the lock, derived from the one that Acquire was given. It ends when the
// lease is lost (the cause matches ErrLeaseLost), released, or before it can expire. Its methods look at the clocks
// themselves, so they are right at the first look of a process that was stopped meanwhile; a context derived from it needs
// a moment more.
func (le *Lease) Context() context.Context { return &le.ctx }

// Fence returns the number of this acquisition. Each acquisition of a lock has a higher one than those before it, so a
// store that keeps the highest number it has seen can refuse a stale owner; see package fence.
func (le *Lease) Fence() int64 { return le.fence }

// Remaining returns how long the lease is still valid if it is not renewed any more, by the clocks of this machine; 0 if
// it is lost or released. It does not ask Redis.
func (le *Lease) Remaining() time.Duration {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.ended || le.lost != nil {
		return 0
	}
	return max2(le.left(), 0)
}

// left needs mu.
func (le *Lease) left() time.Duration { return le.l.timing.live - le.from.until(readClocks()) }

// check ends the lease if its time is over.
func (le *Lease) check() {
	le.mu.Lock()
	over := !le.ended && le.lost == nil && le.left() <= 0
	cause := le.renewErr
	le.mu.Unlock()
	if over {
		le.lose(LostInTime, cause)
	}
}

// onExpiry runs when the lease would end without the renewals that came since the timer was set.
func (le *Lease) onExpiry() {
	le.check()
	le.mu.Lock()
	defer le.mu.Unlock()
	if !le.ended && le.lost == nil {
		le.expiry.Reset(le.left())
	}
}

// lose ends the context with the reason. Only the first reason counts, and none after the release has begun.
func (le *Lease) lose(reason LossReason, cause error) {
	lost := &LeaseLostError{Key: le.key.name, Reason: reason, Cause: cause}
	le.mu.Lock()
	if le.ended || le.lost != nil {
		le.mu.Unlock()
		return
	}
	le.lost = lost
	le.mu.Unlock()
	le.cancel(lost)
	le.l.dog.remove(le)
	le.l.obs.emit(Event{Kind: EventRenewFailure, Prefix: le.key.prefix, Label: "final", Err: lost})
	le.l.obs.emit(Event{Kind: EventLeaseLost, Prefix: le.key.prefix, Label: string(reason), Err: lost})
	le.l.logLost(le, lost)
}

// loss returns the error of a lost lease, or nil. It looks at the clocks first.
func (le *Lease) loss() error {
	le.check()
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.lost == nil {
		return nil
	}
	return le.lost
}

// renewed notes a renewal that was sent at from, and reports whether the lease is still held.
func (le *Lease) renewed(from instant) bool {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.ended || le.lost != nil {
		return false
	}
	le.from, le.renewErr = from, nil
	return true
}

// renewFailed notes a failure that passes, and reports whether the lease is still held.
func (le *Lease) renewFailed(err error) bool {
	le.check()
	le.mu.Lock()
	defer le.mu.Unlock()
	le.renewErr = err
	return !le.ended && le.lost == nil
}

// renewable reports whether the lease is to be renewed. That its context was cancelled by the caller is no reason not to:
// the function still runs.
func (le *Lease) renewable() bool {
	le.mu.Lock()
	defer le.mu.Unlock()
	return !le.ended && !le.bounded && le.lost == nil
}

// boundTo ends the context after d and leaves the lease to run out.
func (le *Lease) boundTo(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.AfterFunc(d, func() {
		le.mu.Lock()
		le.bounded = true
		le.mu.Unlock()
		le.l.dog.remove(le)
		le.cancel(holdEnded{after: d})
	})
	le.mu.Lock()
	le.bound = t
	le.mu.Unlock()
}

// end makes the lease one that is being released. From here on it is not renewed.
func (le *Lease) end() {
	le.mu.Lock()
	le.ended = true
	le.expiry.Stop()
	if le.bound != nil {
		le.bound.Stop()
	}
	le.mu.Unlock()
	le.l.dog.remove(le)
	le.cancel(context.Canceled)
}
