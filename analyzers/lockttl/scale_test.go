package lockttl

import (
	"go/types"
	"math/big"
	"testing"
	"time"
)

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

func TestRoundMillis(t *testing.T) {
	for n, want := range map[int64]bool{
		30_000: true, 5000: true, 60_000: true, 15_000: true,
		30: false, 300: false, 3000: false, 3600: false, 7200: false, 18_000: false, 36_000: false, 86_400: false, 9999: false,
	} {
		if got := roundMillis(n); got != want {
			t.Errorf("%d: got %v, want %v", n, got, want)
		}
	}
}

func TestNarrow(t *testing.T) {
	for kind, want := range map[types.BasicKind]bool{
		types.Int: true, types.Int32: true, types.Uint16: true, types.Int64: false, types.Uint64: false, types.String: false,
		types.Float64: false,
	} {
		if got := narrow(types.Typ[kind]); got != want {
			t.Errorf("%v: got %v, want %v", types.Typ[kind], got, want)
		}
	}
}
