package ownercheck

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// lookedUp judges a release or extend that compares, but with an owner value that it looks up by the key: whoever knows
// the key passes the comparison, holder or not.
//
// That is a fault where somebody can get there without having acquired. It is taken for certain of an exported method
// that chooses the key and does nothing else to the lock, when another method of the same object acquires it and no
// function in sight does both. A method that an interface asks for may be paired by whoever uses the interface.
func lookedUp(r *judge.Reporter, e lockfacts.Event) {
	if e.Closed || e.Guard != clientmodel.Atomic || e.Library || !byKey(e) || !entry(r, e.Fn) || strings.Trim(e.Key.Class(), "{}") == "" {
		return
	}
	acq, ok := acquiredApart(r, e)
	switch {
	case !ok:
	case e.Op.Releases():
		ownerless(r, &acq, e)
	case e.Op.Extends():
		ownerlessExtend(r, acq.At, e)
	}
}

// byKey reports whether the owner value is the entry of a map for the key, or for what the key is made of.
func byKey(e lockfacts.Event) bool {
	o := e.Owner.Strip()
	var index keyterm.Term
	switch {
	case o.Op == keyterm.Lookup && o.Text == "map":
		index = o.Args[1]
	case o.Op == keyterm.Call && strings.HasPrefix(o.Text, "(*sync.Map).Load") && len(o.Args) > 1:
		index = o.Args[1]
	default:
		return false
	}
	found := false
	e.Key.Walk(func(p keyterm.Term) bool {
		found = found || keyterm.Equal(p, index)
		return !found
	})
	return found
}

// entry reports whether a function is one that other packages call by its name alone.
func entry(r *judge.Reporter, fn *ssa.Function) bool {
	if fn.Object() == nil || !fn.Object().Exported() || fn.Signature.Recv() == nil {
		return false
	}
	return !r.Res.ForInterface(fn) && len(r.Res.Callers(fn)) == 0
}

// acquiredApart finds the acquire of the same class in another method of the same type, if no function of the package
// has both the acquire and a release.
func acquiredApart(r *judge.Reporter, e lockfacts.Event) (lockfacts.Event, bool) {
	var acq lockfacts.Event
	ok := false
	for _, fn := range r.Res.Functions {
		for _, x := range r.Res.Events(fn) {
			if x.Key.Class() != e.Key.Class() || !x.Op.Acquires() {
				continue
			}
			if x.Closed || fn == e.Fn {
				return acq, false
			}
			if recv := fn.Signature.Recv(); recv != nil && recv.Type().String() == e.Fn.Signature.Recv().Type().String() {
				acq, ok = x, true
			}
		}
	}
	return acq, ok
}
