package lockrtotel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/lockrtotel"
	"github.com/leasevet/leasevet/lockrt/lockrttest"
)

var jobs = lockrt.MustPrefix("otel:job")

// collect returns the metrics as name and attributes → value; of a histogram the number of observations.
func collect(t *testing.T, r sdk.Reader) map[string]int64 {
	t.Helper()
	var data metricdata.ResourceMetrics
	if err := r.Collect(context.Background(), &data); err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch d := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					out[name(m.Name, p.Attributes.ToSlice())] = int64(p.Count)
				}
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					out[name(m.Name, p.Attributes.ToSlice())] = p.Value
				}
			}
		}
	}
	return out
}

func name(s string, attrs []attribute.KeyValue) string {
	for _, a := range attrs {
		s += fmt.Sprintf(" %s=%s", a.Key, a.Value.AsString())
	}
	return s
}

func TestMetrics(t *testing.T) {
	reader := sdk.NewManualReader()
	obs, err := lockrtotel.New(sdk.NewMeterProvider(sdk.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	srv := lockrttest.New(t)
	l := srv.Locker(lockrt.WithLease(300*time.Millisecond), lockrt.WithObserver(obs))
	ctx := context.Background()
	nothing := func(context.Context) error { return nil }
	if _, err := l.Do(ctx, jobs.Of("1"), nothing); err != nil {
		t.Fatal(err)
	}
	_, _ = l.Do(ctx, jobs.Of("2"), func(ctx context.Context) error {
		srv.LoseLease(jobs.Of("2"))
		<-ctx.Done()
		return nil
	})
	free := srv.HoldForeign(jobs.Of("3"), 0)
	_, _ = l.Do(ctx, jobs.Of("3"), nothing)
	free()
	got := collect(t, reader)
	for key, want := range map[string]int64{
		"lockrt.acquire.duration outcome=acquired prefix=otel:job":  2,
		"lockrt.acquire.duration outcome=contended prefix=otel:job": 1,
		"lockrt.hold.duration outcome=released prefix=otel:job":     1,
		"lockrt.lease.lost prefix=otel:job reason=the key is gone":  1,
		"lockrt.contended prefix=otel:job":                          1,
		"lockrt.held prefix=otel:job":                               0,
	} {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s is %d (%v), want %d", key, v, ok, want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// refusing is a provider whose meters make no counters.
type refusing struct{ noop.MeterProvider }

type refusingMeter struct{ noop.Meter }

func (refusing) Meter(string, ...metric.MeterOption) metric.Meter { return refusingMeter{} }

var errRefused = errors.New("refused")

func (refusingMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return nil, errRefused
}

func TestProviderRefuses(t *testing.T) {
	if _, err := lockrtotel.New(refusing{}); !errors.Is(err, errRefused) {
		t.Errorf("error is %v", err)
	}
}
