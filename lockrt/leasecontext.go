package lockrt

import "context"

// leaseContext is a cancellable context whose every method looks at the clocks before it answers. A timer alone is late
// in a process that was stopped: the first instruction after it continues may be the guarded write.
type leaseContext struct {
	context.Context // ended by Lease.cancel
	lease           *Lease
}

type leaseKey struct{}

// Done implements context.Context.
func (c *leaseContext) Done() <-chan struct{} {
	c.lease.check()
	return c.Context.Done()
}

// Err implements context.Context.
func (c *leaseContext) Err() error {
	c.lease.check()
	return c.Context.Err()
}

// Value implements context.Context. context.Cause asks through it, so it looks at the clocks too.
func (c *leaseContext) Value(key any) any {
	if key == (leaseKey{}) {
		return c.lease
	}
	c.lease.check()
	return c.Context.Value(key)
}

// FromContext returns the lease under which ctx runs: the innermost one, held or not any more. It is how a function that
// Do runs gets at its fence. There is none when the function runs without the lock by OnOutage(Proceed).
func FromContext(ctx context.Context) (*Lease, bool) {
	le, ok := ctx.Value(leaseKey{}).(*Lease)
	return le, ok
}

// holds reports whether the flow of ctx holds this lock on this Locker.
func (l *Locker) holds(ctx context.Context, key Key) bool {
	le, _ := FromContext(ctx)
	for ; le != nil; le = le.parent {
		if le.l == l && le.key.name == key.name && le.active() {
			return true
		}
	}
	return false
}

// active reports whether the lease has not been released. A lost one still counts: its function has not returned, so to
// acquire the lock again inside it would hide the loss.
func (le *Lease) active() bool {
	le.mu.Lock()
	defer le.mu.Unlock()
	return !le.ended
}
