package lockorder

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// opposite reports two classes that are taken in one order here and in the other one there. Only acquires that wait can
// block each other. It stands at the later of the two second acquires.
func opposite(r *judge.Reporter, all []nesting) {
	byPair := map[string]*nesting{} // the first of each order
	for i := range all {
		n := &all[i]
		pair := n.held.Class() + "\x00" + n.inner.Key.Class()
		if n.inner.Waits && (byPair[pair] == nil || later(byPair[pair].place, n.place)) {
			byPair[pair] = n
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(byPair)) {
		a := byPair[pair]
		first, second, _ := strings.Cut(pair, "\x00")
		b := byPair[second+"\x00"+first]
		if first == "" || second == "" || first == second || b == nil || !later(a.place, b.place) {
			continue
		}
		r.Report(judge.Fault{
			Kind: "lock-order", Level: finding.Warning, At: a.place, Class: second,
			Message: fmt.Sprintf("%q is taken here while %q is held, and at %s the other way round: two flows that hold one each wait "+
				"for the other's until a lease ends; take them in one order everywhere", second, first, judge.Brief(b.place)),
			Related: []finding.Related{judge.Related(a.acquire[0], "the first is acquired here"), judge.Related(b.place, "in the other order here")},
		})
	}
}

func later(a, b lockfacts.Site) bool {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) > 0
}

// callersOrder reports two keys of one class that are taken in the order in which the caller names them: another caller
// names them the other way round.
func callersOrder(r *judge.Reporter, n *nesting) {
	class := n.held.Class()
	if class == "" || class != n.inner.Key.Class() || !n.inner.Waits || keyterm.Equal(n.held, n.inner.Key) {
		return
	}
	x, ok := differing(n.held, n.inner.Key)
	if !ok || !givenOrder(x[0]) || !givenOrder(x[1]) || compared(r, n.fn, x) {
		return
	}
	report(r, n.place, n.acquire[0], class)
}

func report(r *judge.Reporter, at, first lockfacts.Site, class string) {
	r.Report(judge.Fault{
		Kind: "lock-order", Level: finding.Warning, At: at, Class: class,
		Message: fmt.Sprintf("a second key of %q is taken here in the order in which the caller names them: a flow that names them the "+
			"other way round holds the second and waits for the first, until a lease ends; sort the keys first", class),
		Related: []finding.Related{judge.Related(first, "the first is acquired here")},
	})
}

// differing are the parts in which two keys of one class differ, if they differ in one.
func differing(a, b keyterm.Term) (parts [2]keyterm.Term, ok bool) {
	x, y := variable(a, nil), variable(b, nil)
	if len(x) != len(y) {
		return parts, false
	}
	n := 0
	for i := range x {
		if x[i].String() != y[i].String() {
			parts = [2]keyterm.Term{x[i], y[i]}
			n++
		}
	}
	return parts, n == 1
}

// variable are the variable parts of a key, in order.
func variable(t keyterm.Term, out []keyterm.Term) []keyterm.Term {
	t = t.Strip()
	switch t.Op {
	case keyterm.Const:
		return out
	case keyterm.Concat, keyterm.Format:
		for _, a := range t.Args {
			out = variable(a, out)
		}
		return out
	case keyterm.Call:
		if strings.HasPrefix(t.Text, "strconv.") && len(t.Args) > 0 {
			return variable(t.Args[0], out)
		}
	}
	return append(out, t)
}

// givenOrder reports whether a part is what the caller gave, as it is: a parameter or a field of one. What was chosen,
// computed or looked up may have been put in order.
func givenOrder(t keyterm.Term) bool {
	t = t.Strip()
	for t.Op == keyterm.Field {
		t = t.Args[0].Strip()
	}
	return t.Op == keyterm.Param
}

// compared reports whether the function, or one around it, compares the two parts: it puts them in order, or leaves if
// they are not.
func compared(r *judge.Reporter, fn *ssa.Function, x [2]keyterm.Term) bool {
	for f := fn; f != nil; f = f.Parent() {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if orders(r, i, x) {
					return true
				}
			}
		}
	}
	return false
}

func orders(r *judge.Reporter, i ssa.Instruction, x [2]keyterm.Term) bool {
	switch i := i.(type) {
	case *ssa.BinOp:
		switch i.Op {
		case token.LSS, token.GTR, token.LEQ, token.GEQ:
			return both(r, i.Parent(), i.X, i.Y, x)
		}
	case *ssa.Call:
		for n := range max(len(i.Call.Args)-1, 0) { // strings.Compare, a.Before(b)
			if _, isBuiltin := i.Call.Value.(*ssa.Builtin); !isBuiltin && i.Call.Signature().Results().Len() == 1 &&
				both(r, i.Parent(), i.Call.Args[n], i.Call.Args[n+1], x) && comparison(i) {
				return true
			}
		}
	}
	return false
}

// comparison reports whether a call returns a number or a boolean that a branch can take.
func comparison(c *ssa.Call) bool {
	t := c.Type().Underlying().String()
	return t == "bool" || t == "int"
}

func both(r *judge.Reporter, fn *ssa.Function, a, b ssa.Value, x [2]keyterm.Term) bool {
	s, t := r.Res.Term(fn, a).String(), r.Res.Term(fn, b).String()
	return s == x[0].String() && t == x[1].String() || s == x[1].String() && t == x[0].String()
}

// inLoop reports locks that a loop takes one after the other, in the order of a list that the caller gave, and keeps until
// the loop is over.
func inLoop(r *judge.Reporter) {
	locks := slices.Concat(r.Res.Locks, r.Res.Collected())
	for i := range locks {
		l := &locks[i]
		list, ok := loopedOver(l.Acquire.Key)
		if !ok || !l.Known() || !waitsAt(r, l.Fn, l.Acquire.At) || !keptByLoop(r, l) || !givenOrder(list) || sorted(r, l.Fn, list) {
			continue
		}
		at := r.Res.Site(l.Acquire.Instr)
		report(r, at, at, l.Acquire.Key.Class())
	}
}

// keyLoops reports locks that a loop takes by their keys, and that another loop over the same list releases.
func keyLoops(r *judge.Reporter) {
	for _, fn := range r.Res.Functions {
		events := r.Res.Events(fn)
		for i := range events {
			e := &events[i]
			list, ok := loopedOver(e.Key)
			if !ok || !e.Op.Acquires() || e.Closed || !waitsAt(r, fn, e.At) || !givenOrder(list) || sorted(r, fn, list) {
				continue
			}
			if releasedOver(events, e, list) {
				at := r.Res.Site(e.Instr)
				report(r, at, at, e.Key.Class())
			}
		}
	}
}

// releasedOver reports whether a release of the same class is made of the elements of the same list.
func releasedOver(events []lockfacts.Event, acq *lockfacts.Event, list keyterm.Term) bool {
	return slices.ContainsFunc(events, func(e lockfacts.Event) bool {
		over, ok := loopedOver(e.Key)
		return ok && e.Op.Releases() && e.Key.Class() == acq.Key.Class() && over.String() == list.String()
	})
}

// loopedOver is the list whose elements a key is made of.
func loopedOver(key keyterm.Term) (list keyterm.Term, ok bool) {
	key.Walk(func(t keyterm.Term) bool {
		if t.Op != keyterm.Lookup || len(t.Args) != 2 || ok {
			return !ok
		}
		t.Args[1].Walk(func(i keyterm.Term) bool {
			ok = ok || i.Op == keyterm.Fresh && i.Text == keyterm.Each
			return true
		})
		if ok {
			list = t.Args[0]
		}
		return !ok
	})
	return list, ok
}

// keptByLoop reports whether the locks of a loop are all held when it is over: they are released in defers, or from a
// list.
func keptByLoop(r *judge.Reporter, l *lockfacts.Lock) bool {
	if l.IsCollected() {
		return true
	}
	return slices.ContainsFunc(l.Releases, func(e lockfacts.Event) bool { return e.Deferred })
}

// sorted reports whether the function sorts a list, or checks that it is sorted.
func sorted(r *judge.Reporter, fn *ssa.Function, list keyterm.Term) bool {
	for f := fn; f != nil; f = f.Parent() {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				c, ok := i.(*ssa.Call)
				if !ok {
					continue
				}
				for _, a := range c.Call.Args {
					if _, builtin := c.Call.Value.(*ssa.Builtin); !builtin && r.Res.Term(f, a).String() == list.String() && c.Call.Signature().Results().Len() == 0 {
						return true
					}
				}
			}
		}
	}
	return false
}
