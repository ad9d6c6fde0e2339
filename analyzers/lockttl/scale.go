package lockttl

import (
	"go/types"
	"math/big"
	"strings"
	"time"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// scale is the unit of a number, in nanoseconds, with everything that it can be: a field named TTLSeconds of type
// time.Duration may be either. No entry means that nothing is known.
type scale struct {
	nanos []*big.Rat
	name  string        // what says so
	unit  time.Duration // the unit that it says
	// typed is true where one possibility is that a time.Duration is one. It may as well be a bare number that the
	// program multiplies with time.Second later, as settings often are.
	typed bool
}

// scaleOf finds the unit that a number is in: the method of time.Duration that made it, or the name of the parameter or
// field that it comes from, times and divided by what it is multiplied with on the way.
func (c *checker) scaleOf(fn *ssa.Function, t keyterm.Term) scale {
	t = t.Strip()
	switch t.Op {
	case keyterm.Call:
		if u := judge.Units[t.Text]; u != 0 {
			return scale{nanos: []*big.Rat{rat(u)}, name: strings.TrimPrefix(t.Text, "(time.Duration).") + "()", unit: u}
		}
	case keyterm.Param:
		if fn != nil && fn.String() == t.Text && t.Index < len(fn.Params) {
			p := fn.Params[t.Index]
			return named(p.Name(), p.Type())
		}
	case keyterm.Field:
		if typ := c.fieldType(t); typ != nil {
			return named(t.Text, typ)
		}
	case keyterm.Arith:
		return c.computed(fn, t)
	}
	return scale{}
}

func rat(d time.Duration) *big.Rat { return new(big.Rat).SetInt64(int64(d)) }

// computed multiplies or divides a scale by a constant.
func (c *checker) computed(fn *ssa.Function, t keyterm.Term) scale {
	if len(t.Args) != 2 {
		return scale{}
	}
	s, by := c.scaleOf(fn, t.Args[0]), t.Args[1]
	if len(s.nanos) == 0 && t.Text == "*" {
		s, by = c.scaleOf(fn, t.Args[1]), t.Args[0]
	}
	k, ok := judge.Number(by)
	if !ok || k.Sign() <= 0 {
		return scale{}
	}
	switch t.Text {
	case "*", "/":
		return s.times(k, t.Text == "/")
	}
	return scale{}
}

// times is a scale after a multiplication with k, or a division by it. Twice the interval is still an interval: only
// factors between two units change the scale.
func (s scale) times(k *big.Int, divided bool) scale {
	switch {
	case !k.IsInt64():
		return scale{}
	case !betweenUnits[k.Int64()]:
		if k.Int64() >= 60 {
			return scale{} // sixty times a number of minutes may be meant as seconds, or as an hour
		}
		return s
	case s.typed && !divided:
		return scale{}
	}
	factor := new(big.Rat).SetInt(k)
	if !divided {
		factor.Inv(factor)
	}
	scaled := make([]*big.Rat, len(s.nanos))
	for i, n := range s.nanos {
		scaled[i] = new(big.Rat).Mul(n, factor)
	}
	s.nanos = scaled
	return s
}

// betweenUnits are the factors that make one unit of another.
var betweenUnits = map[int64]bool{
	1e3: true, 1e6: true, 1e9: true, int64(time.Minute): true, int64(time.Hour): true,
}

// named is what a name and a type say. A bare number whose name ends in no unit says nothing.
func named(name string, t types.Type) scale {
	duration := types.TypeString(t, nil) == "time.Duration"
	if !duration && !isNumber(t) {
		return scale{}
	}
	u := unitOf(name)
	switch {
	case u != 0 && duration:
		return scale{[]*big.Rat{rat(u), rat(1)}, name, u, true}
	case u != 0:
		return scale{[]*big.Rat{rat(u)}, name, u, false}
	case duration:
		return scale{[]*big.Rat{rat(1)}, name, 1, true}
	}
	return scale{}
}

// unitOf is the unit that the last word of a name is, 0 for none. The longest word counts: ttlMilliSeconds ends in two.
func unitOf(name string) (unit time.Duration) {
	longest := 0
	for word, u := range unitWords {
		if rest, ok := cutSuffixFold(name, word); ok && len(word) > longest && endsWord(rest, name[len(rest):]) {
			longest, unit = len(word), u
		}
	}
	return unit
}

func cutSuffixFold(name, word string) (string, bool) {
	at := len(name) - len(word)
	if at < 0 || !strings.EqualFold(name[at:], word) {
		return name, false
	}
	return name[:at], true
}

// endsWord reports whether a new word of a name begins after rest: ttl_ms, ttlMs, TTLMs, TTLMS.
func endsWord(rest, word string) bool {
	if rest == "" || strings.HasSuffix(rest, "_") {
		return true
	}
	first, last := rune(word[0]), rune(rest[len(rest)-1])
	return unicode.IsUpper(first) && (!unicode.IsUpper(last) || strings.HasSuffix(rest, "TTL"))
}

var unitWords = map[string]time.Duration{
	"nanos": 1, "nanoseconds": 1, "ns": 1, "micros": time.Microsecond, "microseconds": time.Microsecond,
	"ms": time.Millisecond, "msec": time.Millisecond, "msecs": time.Millisecond, "millis": time.Millisecond,
	"millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"mins": time.Minute, "minutes": time.Minute, "hours": time.Hour,
}

// fieldType is the declared type of the field that a term reads, nil where it is not found.
func (c *checker) fieldType(t keyterm.Term) types.Type {
	if len(t.Names) == 0 {
		return nil
	}
	dot := strings.LastIndexByte(t.Names[0], '.')
	if dot < 0 {
		return nil
	}
	pkg := c.packageNamed(t.Names[0][:dot])
	if pkg == nil {
		return nil
	}
	obj, ok := pkg.Scope().Lookup(t.Names[0][dot+1:]).(*types.TypeName)
	if !ok {
		return nil
	}
	f, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg, t.Text)
	if v, ok := f.(*types.Var); ok {
		return v.Type()
	}
	return nil
}

// packageNamed is the package itself or one that it imports.
func (c *checker) packageNamed(path string) *types.Package {
	if path == c.Pass.Pkg.Path() {
		return c.Pass.Pkg
	}
	for _, p := range c.Pass.Pkg.Imports() {
		if p.Path() == path {
			return p
		}
	}
	return nil
}
