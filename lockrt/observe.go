package lockrt

import (
	"sync"
	"sync/atomic"
	"time"
)

// Observer is told what happens to locks. Observe is called on the way of acquire, release and renewal, from many
// goroutines, so it must return soon and must not call the Locker.
type Observer interface {
	Observe(Event)
}

// ObserverFunc is a function that is an Observer.
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// EventKind says what an Event is about.
type EventKind string

// The kinds. In parentheses what the fields of the event hold; Prefix and Kind are always set, but for Subscription.
const (
	// EventAcquire ends every acquisition (Duration since the call; Label: acquired, contended, timeout, unavailable,
	// misconfigured, context, closed, refused; Err).
	EventAcquire EventKind = "acquire"
	// EventContention is the first time that an acquisition finds the lock taken.
	EventContention EventKind = "contention"
	// EventAcquireTimeout is an acquisition that ended because its wait was over (Duration: the wait).
	EventAcquireTimeout EventKind = "acquire_timeout"
	// EventHold ends a lease (Duration: from acquire to release; Label: released, not_owner, expired, unavailable,
	// misconfigured; Err).
	EventHold EventKind = "hold"
	// EventOwnerMismatch is a key that held another owner's value, or none, where ours should have been (Label: renew,
	// release).
	EventOwnerMismatch EventKind = "owner_mismatch"
	// EventRenewFailure is a renewal that did not succeed (Label: passing, it is tried again; final, the lease is lost;
	// Err).
	EventRenewFailure EventKind = "renew_failure"
	// EventLeaseLost is a lease that ended under its holder (Label: the LossReason; Err).
	EventLeaseLost EventKind = "lease_lost"
	// EventRenewLag is a renewal that succeeded (Duration: how much later than planned).
	EventRenewLag EventKind = "renew_lag"
	// EventDegraded is a function that runs without the lock by OnOutage(Proceed) (Err: why).
	EventDegraded EventKind = "degraded"
	// EventCompensation is a lock that was acquired after nobody wanted it any more, or may have been: the reply came too
	// late or not at all. It is given back in the background (Label: queued, released, given_up).
	EventCompensation EventKind = "compensation"
	// EventSubscription is a change of the connection on which waiters are woken (Label: subscribed, lost, forbidden).
	EventSubscription EventKind = "subscription"
	// EventWakeup is a waiter that looks again (Label: message, local, recheck, resubscribed, poll,
	// outage).
	EventWakeup EventKind = "wakeup"
	// EventHeld and EventWaiting are gauges: how many leases are held, how many flows wait (Delta: 1 or -1; N: the value
	// after it). Events of several goroutines can overtake one another, so metrics should add up the deltas.
	EventHeld    EventKind = "held"
	EventWaiting EventKind = "waiting"
)

// Event is one thing that happened. It never carries a key: as a label, keys would be without number.
type Event struct {
	Kind     EventKind
	Prefix   string
	Label    string
	Duration time.Duration
	N, Delta int
	Err      error
}

// observer guards against there being none, and keeps the gauges.
type observer struct {
	to     Observer
	gauges sync.Map // gaugeKey → *atomic.Int64
}

type gaugeKey struct {
	kind   EventKind
	prefix string
}

func (o *observer) emit(e Event) {
	if o.to != nil {
		o.to.Observe(e)
	}
}

// count changes a gauge by delta.
func (o *observer) count(kind EventKind, prefix string, delta int64) {
	if o.to == nil {
		return
	}
	v, ok := o.gauges.Load(gaugeKey{kind, prefix})
	if !ok {
		v, _ = o.gauges.LoadOrStore(gaugeKey{kind, prefix}, new(atomic.Int64))
	}
	g, _ := v.(*atomic.Int64)
	o.to.Observe(Event{Kind: kind, Prefix: prefix, N: int(g.Add(delta)), Delta: int(delta)})
}
