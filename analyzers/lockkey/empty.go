package lockkey

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// read is where a part that may be empty comes from.
type read struct {
	term keyterm.Term // identifies the value in other functions
	at   lockfacts.Site
	why  string
}

// emptyPart reports parts that can silently be empty and that nobody looks at before the acquire.
func (c *checker) emptyPart(u use) {
	if !c.handsOverWholeKeys(u) {
		return // what checks the part may stand where it cannot be seen
	}
	parts := variables(u.ev.Key)
	for _, p := range parts {
		for _, r := range c.reads(p) {
			if r.why == fromEnvironment && len(parts) > 1 || !r.at.IsValid() || c.checked(u, p, r) {
				continue
			}
			c.report(judge.Fault{
				Kind: "empty-key-part", Level: finding.Warning, At: r.at, Class: u.key.Class(),
				Message: r.why + ", and nobody looks: then everything without a value has one key" + named(u.key.Class()) +
					", and work that has nothing in common waits for one lock; refuse an empty value before the acquire",
				Related: []finding.Related{judge.Related(c.acquiredAt(u), "acquired here")},
			})
		}
	}
}

// named shows what is left of a key when its parts are empty.
func named(class string) string {
	if class == "" {
		return ""
	}
	return fmt.Sprintf(", %q", strings.ReplaceAll(class, "{}", ""))
}

const (
	fromMap         = "this part of the key is empty when the map has no entry"
	fromRequest     = "this part of the key is empty when the request does not have it"
	fromEnvironment = "this part of the key is empty when the environment does not have the variable"
	fromParse       = "this part of the key is zero or empty when the text cannot be parsed"
	fromAssertion   = "this part of the key is empty when the value is not there or has another type"
	fromReflection  = "this part of the key is empty when there is no field of that name"
	fromZeroField   = "this part of the key is empty in a value whose constructor does not set the field"
)

// reads lists the sources of a part that can be empty.
func (c *checker) reads(p part) []read {
	t := p.term.Strip()
	for t.Op == keyterm.Call && sameText[t.Text] && len(t.Args) > 0 {
		t = t.Args[0].Strip()
	}
	if t.Op == keyterm.Set {
		return c.readsOfSet(t, p)
	}
	base := t
	for base.Op == keyterm.Field && len(base.Args) > 0 {
		base = base.Args[0].Strip()
	}
	switch {
	case base.Op == keyterm.Lookup && base.Text == "map" && c.unchecked(base):
		return []read{{base, siteOf(base), fromMap}}
	case t.Op == keyterm.Fresh && t.Text == keyterm.Input:
		return []read{{t, siteOf(t), inputWhy(t)}}
	case t.Op == keyterm.Fresh && t.Text == keyterm.Reflect && p.zero:
		return []read{{t, siteOf(t), fromReflection}}
	case t.Op == keyterm.Call:
		return c.readsOfCall(t, p.zero)
	case t.Op == keyterm.Field:
		return c.zeroField(t, p)
	}
	return nil
}

func (c *checker) readsOfSet(t keyterm.Term, p part) []read {
	var out []read
	zero := p.zero || hasZero(t)
	for _, a := range t.Args {
		out = append(out, c.reads(part{term: a, at: p.at, through: p.through, zero: zero})...)
	}
	return out
}

func inputWhy(t keyterm.Term) string {
	if len(t.Names) > 0 && t.Names[0] == "os.Getenv" {
		return fromEnvironment
	}
	return fromRequest
}

// unchecked reports whether a map is asked without looking at whether it has the entry, and is no table of known keys.
func (c *checker) unchecked(t keyterm.Term) bool {
	if len(t.Args) < 2 || t.Args[1].Op == keyterm.Unknown {
		return false // a loop over the map
	}
	if t.Index == 1 {
		l, ok := c.instrAt(t).(*ssa.Lookup)
		return ok && l.CommaOk && !usesResult(l, 1)
	}
	switch t.Args[0].Strip().Op {
	case keyterm.Call:
		return t.Args[1].Op != keyterm.Const // the parts of a route, say, which are always there
	case keyterm.Global:
	default:
		return true
	}
	key := c.typeNamed(t.Args[1].Type)
	return t.Args[1].Op != keyterm.Const && key != nil && !enumeration(key)
}

// parsers are functions whose last result says whether the first ones mean something, with the index of the part.
var parsers = map[string]int{
	"strconv.Atoi": 0, "strconv.ParseInt": 0, "strconv.ParseUint": 0, "strconv.ParseFloat": 0,
	"strings.Cut": 1, "github.com/google/uuid.Parse": 0,
}

// stores are functions that return what somebody has put there, as an interface.
var stores = map[string]bool{"(context.Context).Value": true, "(*sync.Map).Load": true}

func (c *checker) readsOfCall(t keyterm.Term, zero bool) []read {
	if i, ok := parsers[t.Text]; ok && i == t.Index {
		call, ok := c.instrAt(t).(*ssa.Call)
		if zero || ok && !usesResult(call, call.Call.Signature().Results().Len()-1) {
			return []read{{t, siteOf(t), fromParse}}
		}
		return nil
	}
	if stores[t.Text] && c.assertedBlindly(t) {
		return []read{{t, siteOf(t), fromAssertion}}
	}
	return nil
}

// assertedBlindly reports whether the function that reads a value asserts its type and ignores whether it has it.
func (c *checker) assertedBlindly(t keyterm.Term) bool {
	fn := c.fns[t.Fn]
	blind := false
	c.each(fn, func(i ssa.Instruction) {
		a, ok := i.(*ssa.TypeAssert)
		if ok && a.CommaOk && comesFrom(c.Res.Term(fn, a.X), t) {
			blind = !usesResult(a, 1)
		}
	})
	return blind
}

// instrAt finds the instruction that made a term, in this package.
func (c *checker) instrAt(t keyterm.Term) (found ssa.Instruction) {
	c.each(c.fns[t.Fn], func(i ssa.Instruction) {
		switch i.(type) {
		case *ssa.Call, *ssa.Lookup:
			if c.Res.Pos(i) == t.At {
				found = i
			}
		}
	})
	return found
}

func (c *checker) each(fn *ssa.Function, f func(ssa.Instruction)) {
	if fn == nil {
		return
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			f(i)
		}
	}
}

// usesResult reports whether the program looks at result i of a tuple.
func usesResult(tuple ssa.Value, i int) bool {
	for _, r := range *tuple.Referrers() {
		if x, ok := r.(*ssa.Extract); ok && x.Index == i && len(*x.Referrers()) > 0 {
			return true
		}
	}
	return false
}

// comesFrom reports whether a value is, or contains, what was read. What an unknown function makes of it does not count.
func comesFrom(t, read keyterm.Term) bool {
	found := false
	t.Walk(func(p keyterm.Term) bool {
		found = found || sameRead(p, read)
		return !found && (p.Op != keyterm.Call || sameText[p.Text])
	})
	return found
}

// sameRead: the same value, or the same thing read once more.
func sameRead(a, b keyterm.Term) bool {
	if a.Op != b.Op || a.Text != b.Text || a.Op == keyterm.Call && a.Index != b.Index {
		return false
	}
	if a.At.IsValid() && a.At == b.At {
		return true
	}
	if a.Op != keyterm.Fresh {
		return keyterm.Equal(a, b)
	}
	if len(a.Names) != len(b.Names) || len(a.Args) != len(b.Args) || len(a.Args) == 0 || a.Names[0] != b.Names[0] {
		return false
	}
	for i := range a.Args {
		if a.Args[i].String() != b.Args[i].String() {
			return false
		}
	}
	return true
}

// handsOverWholeKeys reports whether the functions of other packages on the way to the command get a key that is
// complete. One that gets a part may refuse an empty one.
func (c *checker) handsOverWholeKeys(u use) bool {
	names := make([]string, 0, len(u.ev.Path)+1)
	for _, s := range u.ev.Path {
		names = append(names, s.Function)
	}
	names = append(names, u.ev.At.Function)
	for _, name := range names[1:] {
		if c.fns[name] != nil {
			continue
		}
		s := c.Res.Summary(name)
		return s == nil || takesKey(s, u.ev.At)
	}
	return true
}

// takesKey reports whether the effect at a place has a key that its function was given.
func takesKey(s *lockfacts.Summary, at lockfacts.Site) bool {
	for _, e := range s.Effects {
		if e.At.Pos != at.Pos || !e.Op.Acquires() {
			continue
		}
		t := e.Key.Strip()
		for t.Op == keyterm.Field {
			t = t.Args[0].Strip()
		}
		return t.Op == keyterm.Param
	}
	return false
}
