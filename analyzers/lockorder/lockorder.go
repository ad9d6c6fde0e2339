package lockorder

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks in which order locks are taken.
var Analyzer *analysis.Analyzer = judge.Analyzer("lockorder", doc, check)

// check looks at every place at which a lock is held and something leads to another acquire: the call itself, or a
// helper that it reaches. Keys are compared as terms, in the terms of the function that holds the first lock.
func check(r *judge.Reporter) {
	all := nestings(r)
	for i := range all {
		all[i].find(r)
		reentrant(r, &all[i])
		callersOrder(r, &all[i])
	}
	opposite(r, all)
	inLoop(r)
	keyLoops(r)
}

// nesting is an acquire under another lock.
type nesting struct {
	fn      *ssa.Function // in whose terms the keys are
	held    keyterm.Term
	acquire []lockfacts.Site // of the first lock, from fn down to the command
	inner   lockfacts.Inner
	place   lockfacts.Site // see find
}

// nestings lists the package's.
func nestings(r *judge.Reporter) []nesting {
	var out []nesting
	for i := range r.Res.Locks {
		l := &r.Res.Locks[i]
		for _, x := range r.Res.Inner(l.Fn) {
			if l.Known() && x.Instr != l.Acquire.Instr && l.Covers(x.Instr) {
				out = append(out, nesting{fn: l.Fn, held: l.Acquire.Key, acquire: sites(&l.Acquire.Effect), inner: x.Inner})
			}
		}
	}
	for _, fn := range r.Res.Functions {
		for _, run := range r.Res.RunsUnder(fn) {
			for _, x := range r.Res.InnerIn(fn, run.Env) {
				x.Path = append([]lockfacts.Site{r.Res.Site(run.Call)}, x.Path...)
				for _, h := range run.Under {
					out = append(out, nesting{fn: run.By, held: h.Key, acquire: way(r, run, h), inner: x})
				}
			}
		}
	}
	return out
}

// waitsAt reports whether the acquire at a place waits, as fn sees it.
func waitsAt(r *judge.Reporter, fn *ssa.Function, at lockfacts.Site) bool {
	for _, x := range r.Res.Inner(fn) {
		if x.At == at {
			return x.Waits
		}
	}
	return false
}

func sites(e *lockfacts.Effect) []lockfacts.Site {
	return append(append([]lockfacts.Site{}, e.Path...), e.At)
}

// way is how the helper's call gets to the acquire of the lock that it holds while it runs a function.
func way(r *judge.Reporter, run lockfacts.RunUnder, h lockfacts.Held) []lockfacts.Site {
	events := r.Res.Events(run.By)
	for i := range events {
		if e := &events[i]; e.Instr == run.Call && e.Op.Acquires() && e.At == h.Acquire {
			return sites(&e.Effect)
		}
	}
	return []lockfacts.Site{r.Res.Site(run.Call), h.Acquire}
}

// find sets where the second acquire is asked for: the last call on its way that the first acquire does not share, outside
// of helpers that lock what they are told.
func (n *nesting) find(r *judge.Reporter) {
	inner := append(append([]lockfacts.Site{}, n.inner.Path...), n.inner.At)
	i, j := len(inner)-1, len(n.acquire)-1
	for i > 0 && j >= 0 && inner[i] == n.acquire[j] {
		i, j = i-1, j-1
	}
	for i > 0 && told(r, inner[i].Function, n.inner.At) {
		i--
	}
	n.place = inner[i]
}

// told reports whether a function is given the key that it acquires at a place. A literal that captures one is not: who
// wrote it wrote the acquire.
func told(r *judge.Reporter, function string, at lockfacts.Site) bool {
	s := r.Res.Summary(function)
	if s == nil {
		return false
	}
	for _, x := range s.Inner {
		if x.At == at {
			key := x.Key.Strip()
			for key.Op == keyterm.Field {
				key = key.Args[0].Strip()
			}
			return key.Op == keyterm.Param && key.Text == function
		}
	}
	return false
}
