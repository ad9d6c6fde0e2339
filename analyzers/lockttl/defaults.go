package lockttl

import "github.com/leasevet/leasevet/passes/keyterm"

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

// defaults replaces flags by their defaults. What is read from one has no place of its own: the finding is to stand
// where the value is used, not where the flag is declared.
func defaults(t keyterm.Term) keyterm.Term {
	return t.Map(func(p keyterm.Term) keyterm.Term {
		i, ok := flagDefaults[p.Text]
		if p.Op != keyterm.Call || p.Index != 0 || !ok || i >= len(p.Args) {
			return p
		}
		v := p.Args[i]
		v.At = keyterm.Pos{}
		return v
	})
}
