package lockkey

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks what the keys of locks are made of.
var Analyzer *analysis.Analyzer = judge.Analyzer("lockkey", doc, check)

// check judges the key of every acquire that is part of a lock, in the terms of every function that it can be seen
// from: a helper sees a parameter, its caller sees what the parameter was put together from. Then it compares the
// spellings of all keys with each other. It is a "may" analysis of what is certain: a part that is not understood makes
// no finding, and a place makes one finding of a kind, however many callers see it.
func check(r *judge.Reporter) {
	c := &checker{Reporter: r, fns: map[string]*ssa.Function{}, said: map[saying]bool{}}
	for _, fn := range r.Res.Functions {
		c.fns[fn.String()] = fn
	}
	c.collect()
	c.spellings()
	for _, u := range c.uses {
		c.unstable(u)
		c.ambiguous(u)
		c.emptyPart(u)
		c.ignoresEntity(u)
	}
	for _, fn := range r.Res.Functions {
		c.underOneKey(fn)
	}
	c.fromStrings()
	c.mismatched()
	c.otherClient()
	c.duplicate()
	c.shared()
}

// checker is the check of one package.
type checker struct {
	*judge.Reporter
	fns  map[string]*ssa.Function
	uses []use
	keys []spelling
	said map[saying]bool
}

// use is an acquire as one function sees it, with one of the keys that it may have.
type use struct {
	fn  *ssa.Function
	ev  lockfacts.Event
	key keyterm.Term
}

// saying is a place and kind that has been reported.
type saying struct {
	kind string
	at   keyterm.Pos
}

// collect lists the uses, those nearest to the command first: there, parameters have the names that fit best.
func (c *checker) collect() {
	for _, fn := range c.Res.Functions {
		if inTest(c.Res.FuncPos(fn)) {
			continue
		}
		for _, e := range c.Res.Events(fn) {
			if !e.Op.Acquires() || !e.Proven && !e.Closed {
				continue
			}
			for _, t := range lockfacts.Alternatives(e.Key) {
				c.uses = append(c.uses, use{fn: fn, ev: e, key: t})
			}
		}
	}
	slices.SortStableFunc(c.uses, func(a, b use) int { return cmp.Compare(len(a.ev.Path), len(b.ev.Path)) })
}

func inTest(p keyterm.Pos) bool { return strings.HasSuffix(p.File, "_test.go") }

// report reports a fault unless the place has one of its kind already.
func (c *checker) report(f judge.Fault) {
	at := saying{f.Kind, f.At.Pos}
	if c.said[at] || !f.At.IsValid() {
		return
	}
	c.said[at] = true
	c.Report(f)
}

// siteOf is the place where a term is made.
func siteOf(t keyterm.Term) lockfacts.Site {
	return lockfacts.Site{Pos: t.At, Function: t.Fn, Package: lockfacts.FunctionPackage(t.Fn)}
}

// acquiredAt is the place where the function of a use acquires.
func (c *checker) acquiredAt(u use) lockfacts.Site { return c.Res.Site(u.ev.Instr) }

// root is the declared function around a function literal.
func root(function string) string {
	name, _, _ := strings.Cut(function, "$")
	return name
}
