package judge

import (
	"math/big"
	"time"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Duration is the TTL that a term in the given unit stands for, where it is fixed.
func Duration(t keyterm.Term, u clientmodel.Unit) (time.Duration, bool) {
	n, ok := Number(t)
	if !ok {
		return 0, false
	}
	scale := map[clientmodel.Unit]int64{
		clientmodel.Duration: 1, clientmodel.NoUnit: 1,
		clientmodel.Seconds: int64(time.Second), clientmodel.Millis: int64(time.Millisecond),
	}[u]
	n = new(big.Int).Mul(n, big.NewInt(scale))
	if scale == 0 || !n.IsInt64() {
		return 0, false
	}
	return time.Duration(n.Int64()), true
}

// Number is the integer that a term stands for: a constant, or what constants were computed to once the arguments of a
// helper were known. The zero value of a field counts as 0.
func Number(t keyterm.Term) (*big.Int, bool) {
	t = t.Strip()
	switch t.Op {
	case keyterm.Const:
		if t.Text == "" && t.Index == 1 {
			return new(big.Int), true
		}
		return new(big.Int).SetString(t.Text, 10)
	case keyterm.Call:
		return converted(t)
	case keyterm.Arith:
		return computed(t)
	}
	return nil, false
}

// Units says how many nanoseconds one of what a method of time.Duration returns stands for.
var Units = map[string]time.Duration{
	"(time.Duration).Nanoseconds": time.Nanosecond, "(time.Duration).Microseconds": time.Microsecond,
	"(time.Duration).Milliseconds": time.Millisecond, "(time.Duration).Seconds": time.Second,
	"(time.Duration).Minutes": time.Minute, "(time.Duration).Hours": time.Hour,
}

// converted is a fixed duration as a number of something. A part that is left over is dropped, as a conversion to an
// integer does.
func converted(t keyterm.Term) (*big.Int, bool) {
	unit := Units[t.Text]
	if unit == 0 || len(t.Args) != 1 {
		return nil, false
	}
	n, ok := Number(t.Args[0])
	if !ok {
		return nil, false
	}
	return n.Quo(n, big.NewInt(int64(unit))), true
}

func computed(t keyterm.Term) (*big.Int, bool) {
	if len(t.Args) != 2 {
		return nil, false
	}
	a, ok := Number(t.Args[0])
	b, also := Number(t.Args[1])
	if !ok || !also {
		return nil, false
	}
	switch t.Text {
	case "+":
		return a.Add(a, b), true
	case "-":
		return a.Sub(a, b), true
	case "*":
		return a.Mul(a, b), true
	case "/":
		if b.Sign() != 0 {
			return a.Quo(a, b), true
		}
	}
	return nil, false
}
