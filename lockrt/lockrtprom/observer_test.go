package lockrtprom_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/lockrtprom"
	"github.com/leasevet/leasevet/lockrt/lockrttest"
)

var jobs = lockrt.MustPrefix("prom:job")

// scrape returns the metrics as name{labels} → value; of a histogram the number of observations.
func scrape(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetName() + "=" + l.GetValue()
			}
			switch {
			case m.GetHistogram() != nil:
				out[name] = float64(m.GetHistogram().GetSampleCount())
			case m.GetCounter() != nil:
				out[name] = m.GetCounter().GetValue()
			default:
				out[name] = m.GetGauge().GetValue()
			}
		}
	}
	return out
}

func TestMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	obs, err := lockrtprom.New(reg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockrtprom.New(reg); err == nil {
		t.Error("registered twice")
	}
	srv := lockrttest.New(t)
	l := srv.Locker(lockrt.WithLease(300*time.Millisecond), lockrt.WithObserver(obs))
	ctx := context.Background()
	nothing := func(context.Context) error { return nil }

	_, err = l.Do(ctx, jobs.Of("1"), func(context.Context) error {
		if v := scrape(t, reg)["lockrt_held prefix=prom:job"]; v != 1 {
			t.Errorf("held is %v inside", v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	free := srv.HoldForeign(jobs.Of("2"), 0)
	_, _ = l.Do(ctx, jobs.Of("2"), nothing, lockrt.Wait(250*time.Millisecond))
	free()
	_, _ = l.Do(ctx, jobs.Of("3"), func(ctx context.Context) error {
		srv.LoseLease(jobs.Of("3"))
		<-ctx.Done()
		return nil
	})
	srv.Outage(true)
	_, _ = l.Do(ctx, jobs.Of("4"), nothing, lockrt.OnOutage(lockrt.Proceed))
	srv.Outage(false)

	got := scrape(t, reg)
	for name, want := range map[string]float64{
		"lockrt_acquire_seconds outcome=acquired prefix=prom:job":        2,
		"lockrt_acquire_seconds outcome=timeout prefix=prom:job":         1,
		"lockrt_acquire_seconds outcome=unavailable prefix=prom:job":     1,
		"lockrt_hold_seconds outcome=released prefix=prom:job":           1,
		"lockrt_hold_seconds outcome=expired prefix=prom:job":            1,
		"lockrt_contended_total prefix=prom:job":                         1,
		"lockrt_acquire_timeouts_total prefix=prom:job":                  1,
		"lockrt_owner_mismatch_total op=renew prefix=prom:job":           1,
		"lockrt_renew_failures_total kind=final prefix=prom:job":         1,
		"lockrt_lease_lost_total prefix=prom:job reason=the key is gone": 1,
		"lockrt_degraded_runs_total prefix=prom:job":                     1,
		"lockrt_held prefix=prom:job":                                    0,
		"lockrt_waiting prefix=prom:job":                                 0,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v (%v), want %v", name, v, ok, want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}
