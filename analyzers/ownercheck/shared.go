package ownercheck

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// sharedField reports acquires whose owner value is a field that only the constructor sets, on an object that hands out
// locks: its method takes a key, and returns a handle that refers to the object. All handles of the object then store
// the same value, whatever it is.
//
// The same goes for an object that gets its keys from its callers and itself stands in a field of what others call.
func sharedField(r *judge.Reporter) {
	for _, fn := range r.Res.Functions {
		for _, e := range r.Res.Events(fn) {
			if e.Op == clientmodel.SetIfAbsent && !e.Library && dependsOnArgument(e.Key, fn) {
				judgeField(r, e)
			}
		}
	}
}

func judgeField(r *judge.Reporter, e lockfacts.Event) {
	field, ok := onlyField(r, e)
	if !ok || !comparedField(r, field) {
		return
	}
	base := field.Args[0].Strip()
	hands := len(e.Path) == 0 && isReceiver(base, e.Fn) && handsOut(r, e.Fn)
	if !hands && (mentions(e.Key, base) || !sharedIn(r, e.Fn, base)) {
		return
	}
	r.Report(judge.Fault{
		Kind: "constant-owner", Level: finding.Error, At: e.At, Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
		Message: "the owner value comes from the field " + field.Text + ", which is the same for every lock that this object hands out, " +
			"so that no release can tell whose lock it is; use a fresh random value for each acquisition",
	})
}

// onlyField is the field that an owner value stands on: apart from constants there is nothing else in it, and nothing
// but a constructor writes it.
func onlyField(r *judge.Reporter, e lockfacts.Event) (keyterm.Term, bool) {
	var field keyterm.Term
	for _, p := range e.Owner.Parts() {
		switch p = p.Strip(); {
		case p.Op == keyterm.Const:
		case p.Op == keyterm.Field && len(p.Names) > 0 && r.Res.SetOnce(p.Names[0], p.Text):
			field = p
		default:
			return keyterm.Term{}, false
		}
	}
	return field, field.Op == keyterm.Field
}

// mentions reports whether a value is made of something, among other things.
func mentions(t, of keyterm.Term) bool {
	found := false
	t.Walk(func(p keyterm.Term) bool {
		found = found || keyterm.Equal(p, of)
		return !found
	})
	return found
}

func isReceiver(t keyterm.Term, fn *ssa.Function) bool {
	return t.Op == keyterm.Param && t.Index == 0 && t.Text == fn.String() && fn.Signature.Recv() != nil
}

// handsOut reports whether a method returns an object that refers to the method's receiver.
func handsOut(r *judge.Reporter, fn *ssa.Function) bool {
	s := r.Res.Summary(r.Res.Name(fn))
	if s == nil || fn.Signature.Recv() == nil {
		return false
	}
	for _, t := range s.Results {
		if t.Op != keyterm.Object {
			continue
		}
		for _, a := range t.Args {
			if isReceiver(a, fn) {
				return true
			}
		}
	}
	return false
}

// comparedField reports whether a release or extend of the package compares with the field.
func comparedField(r *judge.Reporter, field keyterm.Term) bool {
	k := kept{owner: field.Names[0], name: field.Text}
	for _, e := range r.Res.Nearest() {
		if (e.Op.Releases() || e.Op.Extends()) && e.Guard >= clientmodel.NotAtomic && k.in(e.Owner) {
			return true
		}
	}
	return false
}
