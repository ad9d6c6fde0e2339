package lockttl

import (
	"go/types"
	"math/big"
	"testing"
	"time"
)

func TestUnitOf(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"ttlMillis": time.Millisecond, "TTLMs": time.Millisecond, "TTLMS": time.Millisecond, "lock_ms": time.Millisecond,
		"seconds": time.Second, "LeaseSeconds": time.Second, "LOCK_TTL_SEC": time.Second, "leaseMinutes": time.Minute,
		"waitHours": time.Hour, "leaseNanos": 1, "ttlMilliSeconds": time.Millisecond, "LeaseNanoSeconds": 1,
		"ttl": 0, "leaseMin": 0, "TTL": 0, "secondsLeft": 0, "problems": 0, "forms": 0, "": 0, "_": 0, "params": 0,
	} {
		if got := unitOf(name); got != want {
			t.Errorf("%q counts %v, want %v", name, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	named := func(u time.Duration) scale { return scale{nanos: []*big.Rat{rat(u)}, unit: u} }
	typed := scale{nanos: []*big.Rat{rat(1)}, unit: 1, typed: true}
	for _, c := range []struct {
		name    string
		s       scale
		by      int64
		divided bool
		want    time.Duration // 0: not known
	}{
		{"seconds become a duration", named(time.Second), 1e9, false, 1},
		{"seconds become milliseconds", named(time.Second), 1e3, false, time.Millisecond},
		{"milliseconds become seconds", named(time.Millisecond), 1e3, true, time.Second},
		{"twice the seconds", named(time.Second), 2, false, time.Second},
		{"sixty may be a unit or a count", named(time.Minute), 60, false, 0},
		{"a duration becomes milliseconds", typed, 1e6, true, time.Millisecond},
		{"a setting of type Duration may be a bare number", typed, 1e9, false, 0},
		{"three intervals", typed, 3, false, 1},
	} {
		got := c.s.times(big.NewInt(c.by), c.divided)
		switch {
		case c.want == 0 && len(got.nanos) > 0, c.want != 0 && len(got.nanos) == 0:
			t.Errorf("%s: got %v", c.name, got.nanos)
		case c.want != 0 && got.nanos[0].Cmp(rat(c.want)) != 0:
			t.Errorf("%s: got %v, want %v", c.name, got.nanos, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	if s := named("ttlSeconds", types.Typ[types.String]); len(s.nanos) > 0 {
		t.Error("a string is no number of seconds")
	}
	if s := named("ttlSeconds", types.Typ[types.Int]); len(s.nanos) != 1 || s.nanos[0].Cmp(rat(time.Second)) != 0 {
		t.Error("ttlSeconds is not seconds")
	}
	if s := named("ttl", types.Typ[types.Int]); len(s.nanos) > 0 {
		t.Error("a bare ttl has no unit")
	}
}
