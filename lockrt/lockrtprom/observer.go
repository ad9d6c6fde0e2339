// Package lockrtprom makes Prometheus metrics of what happens to locks.
//
//	obs, err := lockrtprom.New(prometheus.DefaultRegisterer)
//	locker, err := lockrt.New(rdb, lockrt.WithObserver(obs))
//
// All metrics are labelled with the prefix of the lock, never with its key. One Observer can serve several Lockers.
package lockrtprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/leasevet/leasevet/lockrt"
)

// row is how one kind of event becomes a metric. label is the name of the label that Event.Label is the value of, or "".
type row struct {
	kind              lockrt.EventKind
	name, help, label string
}

var (
	histograms = []row{
		{lockrt.EventAcquire, "lockrt_acquire_seconds", "How long acquisitions took, by what came of them.", "outcome"},
		{lockrt.EventHold, "lockrt_hold_seconds", "How long locks were held, by how the release ended.", "outcome"},
		{lockrt.EventRenewLag, "lockrt_renew_lag_seconds", "How much later than planned leases were renewed.", ""},
	}
	counters = []row{
		{lockrt.EventContention, "lockrt_contended_total", "Acquisitions that found the lock taken.", ""},
		{lockrt.EventAcquireTimeout, "lockrt_acquire_timeouts_total", "Acquisitions whose wait was over.", ""},
		{lockrt.EventOwnerMismatch, "lockrt_owner_mismatch_total", "Keys with another owner's value, or none, where ours should have been.", "op"},
		{lockrt.EventRenewFailure, "lockrt_renew_failures_total", "Renewals that did not succeed: passing ones are tried again.", "kind"},
		{lockrt.EventLeaseLost, "lockrt_lease_lost_total", "Leases that ended under their owner.", "reason"},
		{lockrt.EventDegraded, "lockrt_degraded_runs_total", "Functions that ran without the lock because Redis could not be asked.", ""},
		{lockrt.EventCompensation, "lockrt_compensations_total", "Locks given back that were acquired after nobody wanted them any more.", "state"},
		{lockrt.EventSubscription, "lockrt_subscription_changes_total", "Changes of the connection on which waiters are woken.", "state"},
		{lockrt.EventWakeup, "lockrt_wakeups_total", "Looks of waiters, by what made them look.", "cause"},
	}
	gauges = []row{
		{lockrt.EventHeld, "lockrt_held", "Leases that are held.", ""},
		{lockrt.EventWaiting, "lockrt_waiting", "Flows that wait for a lock.", ""},
	}
)

// Observer is a lockrt.Observer that keeps metrics.
type Observer struct {
	seconds map[lockrt.EventKind]*prometheus.HistogramVec
	counts  map[lockrt.EventKind]*prometheus.CounterVec
	gauges  map[lockrt.EventKind]*prometheus.GaugeVec
	labels  map[lockrt.EventKind]bool // kinds with a label beside the prefix
}

// New registers the metrics. Buckets are those of prometheus.DefBuckets unless others are given, in seconds. It returns the
// registerer's error, for example if there is an Observer on it already.
func New(reg prometheus.Registerer, buckets ...float64) (*Observer, error) {
	if len(buckets) == 0 {
		buckets = prometheus.DefBuckets
	}
	o := &Observer{
		seconds: map[lockrt.EventKind]*prometheus.HistogramVec{},
		counts:  map[lockrt.EventKind]*prometheus.CounterVec{},
		gauges:  map[lockrt.EventKind]*prometheus.GaugeVec{},
		labels:  map[lockrt.EventKind]bool{},
	}
	var all []prometheus.Collector
	for _, r := range histograms {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: r.name, Help: r.help, Buckets: buckets}, o.labelsOf(r))
		o.seconds[r.kind], all = h, append(all, h)
	}
	for _, r := range counters {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: r.name, Help: r.help}, o.labelsOf(r))
		o.counts[r.kind], all = c, append(all, c)
	}
	for _, r := range gauges {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: r.name, Help: r.help}, o.labelsOf(r))
		o.gauges[r.kind], all = g, append(all, g)
	}
	for _, c := range all {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *Observer) labelsOf(r row) []string {
	if r.label == "" {
		return []string{"prefix"}
	}
	o.labels[r.kind] = true
	return []string{"prefix", r.label}
}

// Observe implements lockrt.Observer. Kinds that are newer than this package are ignored.
func (o *Observer) Observe(e lockrt.Event) {
	values := []string{e.Prefix}
	if o.labels[e.Kind] {
		values = append(values, e.Label)
	}
	if h, ok := o.seconds[e.Kind]; ok {
		h.WithLabelValues(values...).Observe(e.Duration.Seconds())
	}
	if c, ok := o.counts[e.Kind]; ok {
		c.WithLabelValues(values...).Inc()
	}
	if g, ok := o.gauges[e.Kind]; ok {
		g.WithLabelValues(values...).Add(float64(e.Delta))
	}
}
