package lockorder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// reentrant reports an acquire of the key that is held already.
func reentrant(r *judge.Reporter, n *nesting) {
	if !keyterm.Equal(n.held, n.inner.Key) || !lasting(n.held) || recursive(n) {
		return
	}
	at := n.place
	what := "it can only be told that the lock is taken"
	if n.inner.Waits {
		what = "it waits for itself until the lease or its patience ends"
	}
	r.Report(judge.Fault{
		Kind: "reentrant-deadlock", Level: finding.Error, At: at, Class: n.held.Class(),
		Path: append(append([]lockfacts.Site{}, n.inner.Path...), n.inner.At),
		Message: fmt.Sprintf("this takes the lock that the flow holds since %s%s: %s; split off a function that expects the lock to be "+
			"held, and call that one", judge.Brief(n.acquire[0]), through(n), what),
		Related: []finding.Related{judge.Related(n.acquire[0], "first acquired here")},
	})
}

// recursive reports whether the way to the second acquire leads back into the function that holds the first one: through
// an interface, as a rule, where a decorator calls what it wraps, which is never the decorator itself.
func recursive(n *nesting) bool {
	for _, s := range append(slices.Clone(n.inner.Path), n.inner.At)[min(1, len(n.inner.Path)):] {
		if len(n.inner.Path) > 1 && s.Function == n.fn.String() {
			return true
		}
	}
	return false
}

// lasting reports whether equal terms are equal values although time has passed: nothing in it is made anew each time,
// and nothing is one of several.
func lasting(key keyterm.Term) bool {
	ok := true
	key.Walk(func(p keyterm.Term) bool {
		if p.Op == keyterm.Set || p.Op == keyterm.Fresh && p.Text != keyterm.Process || p.Op == keyterm.Call && (p.Text == "" || len(p.Args) == 0) {
			ok = false
		}
		return ok
	})
	return ok
}

// through is the call path of a nesting, for a message: " (Cancel -> callWaiting -> Sell)".
func through(n *nesting) string {
	if len(n.inner.Path) < 2 {
		return ""
	}
	var names []string
	for _, s := range n.inner.Path {
		if name := short(s.Function); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return " (" + strings.Join(names, " -> ") + ")"
}

// short is a function's own name, without its package and type; a literal has that of the function around it.
func short(function string) string {
	name := function[strings.LastIndexByte(function, '.')+1:]
	name, _, _ = strings.Cut(name, "$")
	return name
}
