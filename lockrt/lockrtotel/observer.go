// Package lockrtotel makes OpenTelemetry metrics of what happens to locks.
//
//	obs, err := lockrtotel.New(otel.GetMeterProvider())
//	locker, err := lockrt.New(rdb, lockrt.WithObserver(obs))
//
// All metrics carry the prefix of the lock, never its key. One Observer can serve several Lockers.
package lockrtotel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/leasevet/leasevet/lockrt"
)

// row is how one kind of event becomes a metric. attribute is the name of the attribute that Event.Label is the value of,
// or "".
type row struct {
	kind                  lockrt.EventKind
	name, text, attribute string
}

var (
	histograms = []row{
		{lockrt.EventAcquire, "lockrt.acquire.duration", "How long acquisitions took, by what came of them.", "outcome"},
		{lockrt.EventHold, "lockrt.hold.duration", "How long locks were held, by how the release ended.", "outcome"},
		{lockrt.EventRenewLag, "lockrt.renew.lag", "How much later than planned leases were renewed.", ""},
	}
	counters = []row{
		{lockrt.EventContention, "lockrt.contended", "Acquisitions that found the lock taken.", ""},
		{lockrt.EventAcquireTimeout, "lockrt.acquire.timeouts", "Acquisitions whose wait was over.", ""},
		{lockrt.EventOwnerMismatch, "lockrt.owner_mismatch", "Keys with another owner's value, or none, where ours should have been.", "op"},
		{lockrt.EventRenewFailure, "lockrt.renew.failures", "Renewals that did not succeed: passing ones are tried again.", "kind"},
		{lockrt.EventLeaseLost, "lockrt.lease.lost", "Leases that ended under their owner.", "reason"},
		{lockrt.EventDegraded, "lockrt.degraded", "Functions that ran without the lock because Redis could not be asked.", ""},
		{lockrt.EventCompensation, "lockrt.compensations", "Locks given back that were acquired after nobody wanted them any more.", "state"},
		{lockrt.EventSubscription, "lockrt.subscription.changes", "Changes of the connection on which waiters are woken.", "state"},
		{lockrt.EventWakeup, "lockrt.wakeups", "Looks of waiters, by what made them look.", "cause"},
	}
	gauges = []row{
		{lockrt.EventHeld, "lockrt.held", "Leases that are held.", ""},
		{lockrt.EventWaiting, "lockrt.waiting", "Flows that wait for a lock.", ""},
	}
)

// scope names this package as the source of the metrics.
const scope = "github.com/leasevet/leasevet/lockrt/lockrtotel"

// Observer is a lockrt.Observer that keeps metrics.
type Observer struct {
	seconds    map[lockrt.EventKind]metric.Float64Histogram
	counts     map[lockrt.EventKind]metric.Int64Counter
	gauges     map[lockrt.EventKind]metric.Int64UpDownCounter
	attributes map[lockrt.EventKind]string
}

// New makes the instruments. It returns the provider's error if one of them cannot be made.
func New(provider metric.MeterProvider) (*Observer, error) {
	o := &Observer{
		seconds:    map[lockrt.EventKind]metric.Float64Histogram{},
		counts:     map[lockrt.EventKind]metric.Int64Counter{},
		gauges:     map[lockrt.EventKind]metric.Int64UpDownCounter{},
		attributes: map[lockrt.EventKind]string{},
	}
	m := provider.Meter(scope)
	for _, r := range histograms {
		h, err := m.Float64Histogram(r.name, metric.WithDescription(r.text), metric.WithUnit("s"))
		if err != nil {
			return nil, err
		}
		o.seconds[r.kind], o.attributes[r.kind] = h, r.attribute
	}
	for _, r := range counters {
		c, err := m.Int64Counter(r.name, metric.WithDescription(r.text))
		if err != nil {
			return nil, err
		}
		o.counts[r.kind], o.attributes[r.kind] = c, r.attribute
	}
	for _, r := range gauges {
		g, err := m.Int64UpDownCounter(r.name, metric.WithDescription(r.text))
		if err != nil {
			return nil, err
		}
		o.gauges[r.kind] = g
	}
	return o, nil
}

// Observe implements lockrt.Observer. Kinds that are newer than this package are ignored.
func (o *Observer) Observe(e lockrt.Event) {
	ctx := context.Background()
	attrs := []attribute.KeyValue{attribute.String("prefix", e.Prefix)}
	if name := o.attributes[e.Kind]; name != "" {
		attrs = append(attrs, attribute.String(name, e.Label))
	}
	with := metric.WithAttributeSet(attribute.NewSet(attrs...))
	if h, ok := o.seconds[e.Kind]; ok {
		h.Record(ctx, e.Duration.Seconds(), with)
	}
	if c, ok := o.counts[e.Kind]; ok {
		c.Add(ctx, 1, with)
	}
	if g, ok := o.gauges[e.Kind]; ok {
		g.Add(ctx, int64(e.Delta), with)
	}
}
