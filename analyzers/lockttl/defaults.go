package lockttl

import (
	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// flagDefaults says which argument of a function that declares a flag is the flag's default. Most programs run with it,
// so it counts as fixed.
var flagDefaults = map[string]int{
	"flag.Duration": 1, "flag.Int": 1, "flag.Int64": 1, "flag.Uint": 1, "flag.Uint64": 1,
	"(*flag.FlagSet).Duration": 2, "(*flag.FlagSet).Int": 2, "(*flag.FlagSet).Int64": 2,
	"github.com/spf13/pflag.Duration": 1, "github.com/spf13/pflag.Int": 1,
	"github.com/spf13/pflag.DurationP": 2, "github.com/spf13/pflag.IntP": 2,
	"(*github.com/spf13/pflag.FlagSet).Duration": 2, "(*github.com/spf13/pflag.FlagSet).Int": 2,
	"(*github.com/spf13/pflag.FlagSet).DurationP": 3, "(*github.com/spf13/pflag.FlagSet).IntP": 3,
}

// defaults replaces flags and settings by their defaults.
func defaults(t keyterm.Term) keyterm.Term {
	return t.Map(func(p keyterm.Term) keyterm.Term {
		switch p.Op {
		case keyterm.Call:
			return flagDefault(p)
		case keyterm.Set:
			return fallback(p)
		case keyterm.Arith:
			return unlessZero(p)
		}
		return p
	})
}

// flagDefault is the default of a flag. It has no place of its own: the finding is to stand where the value is used, not
// where the flag is declared.
func flagDefault(p keyterm.Term) keyterm.Term {
	i, ok := flagDefaults[p.Text]
	if p.Index != 0 || !ok || i >= len(p.Args) {
		return p
	}
	v := p.Args[i]
	v.At = keyterm.Pos{}
	return v
}

// fallback is the one value of a set that counts when nobody has set anything: what is read from the environment falls
// away, and so does the zero value of a field that is left out, beside what takes its place.
func fallback(p keyterm.Term) keyterm.Term {
	var left []keyterm.Term
	for _, a := range p.Args {
		if !fromOutside(a) && !(a.Op == keyterm.Const && a.Index == 1) {
			left = append(left, a)
		}
	}
	if len(left) == 1 && left[0].Op == keyterm.Const {
		return left[0]
	}
	return p
}

// unlessZero is a number, or what takes its place where it is zero.
func unlessZero(p keyterm.Term) keyterm.Term {
	if p.Text != lockfacts.Or {
		return p
	}
	n, ok := judge.Number(p.Args[0])
	switch {
	case !ok:
		return p
	case n.Sign() == 0:
		return p.Args[1]
	}
	return p.Args[0]
}

// fromOutside reports whether a value depends on the environment.
func fromOutside(t keyterm.Term) bool {
	found := false
	t.Walk(func(p keyterm.Term) bool {
		found = found || p.Op == keyterm.Fresh && p.Text == keyterm.Input
		return !found
	})
	return found
}
