package judge

import (
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Remarks calls f for every remark about an acquire that is part of a lock, as each function sees it that has the
// acquire. A weak remark needs an acquire that meets its release.
func Remarks(r *Reporter, f func(*lockfacts.Event, lockfacts.Remark)) {
	others := locksForOthers(r)
	deleted := deletesForOthers(r)
	for _, fn := range r.Res.Functions {
		events := r.Res.Events(fn)
		for i := range events {
			e := &events[i]
			isLock := e.Proven || len(e.Path) == 0 && e.Key.Op == keyterm.Param && (others || deleted[receiver(e)] && ownersValue(e.Owner))
			for _, m := range e.Remarks {
				if e.Closed || isLock && !m.Weak {
					f(e, m)
				}
			}
		}
	}
}

// locksForOthers reports whether the package locks what its callers say: it gives back keys that are handed in, and
// asks first whose they are. Only callers prove each lock, but what the helper does to them all can be told here.
func locksForOthers(r *Reporter) bool {
	for _, x := range r.Res.Own() {
		if x.Op.Releases() && x.Key.Op == keyterm.Param && (x.Guard == clientmodel.Atomic || x.Guard == clientmodel.NotAtomic) {
			return true
		}
	}
	return false
}

// deletesForOthers are the types that have a method which deletes a key that is handed in.
func deletesForOthers(r *Reporter) map[string]bool {
	out := map[string]bool{}
	for _, x := range r.Res.Own() {
		if x.Op.Releases() && x.Key.Op == keyterm.Param && receiver(&x) != "" {
			out[receiver(&x)] = true
		}
	}
	return out
}

// receiver names the type of the method that an event is in, "" for a function.
func receiver(e *lockfacts.Event) string {
	if recv := e.Fn.Signature.Recv(); recv != nil {
		return recv.Type().String()
	}
	return ""
}

// ownersValue reports whether a helper itself makes a value that says who stored it: only a lock needs that.
func ownersValue(t keyterm.Term) bool {
	found := false
	t.Walk(func(p keyterm.Term) bool {
		found = found || p.Op == keyterm.Fresh && (p.Text == keyterm.Random || p.Text == keyterm.Process)
		return !found
	})
	return found
}

// RemarkCallers counts, for the place of each remark, the functions of the package that get there through a call.
func RemarkCallers(r *Reporter) map[lockfacts.Site]int {
	out := map[lockfacts.Site]int{}
	Remarks(r, func(e *lockfacts.Event, m lockfacts.Remark) {
		if len(e.Path) > 0 && e.Fn.String() != m.At.Function {
			out[m.At]++
		}
	})
	return out
}
