package ownercheck

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// keptShared reports owner values that an acquire keeps in an object for one key, where the object is seen to be shared:
// it stands in a field of something that others call, or in a package-level variable. An object that is made for each
// acquisition is right.
func keptShared(r *judge.Reporter) {
	for _, fn := range r.Res.Functions {
		for _, e := range r.Res.Events(fn) {
			if e.Kept.At.IsValid() && sharedIn(r, fn, e.Kept.In.Strip()) && !minded(r, e) {
				r.Report(judge.Fault{
					Kind: "owner-overwritten", Level: finding.Error, Class: e.Key.Class(), At: e.Kept.At, Path: judge.Flow(&e.Effect),
					Message: keptMessage(e.Kept),
					Related: []finding.Related{judge.Related(e.At, "acquired here")},
				})
			}
		}
	}
}

func keptMessage(k lockfacts.Kept) string {
	if k.Field == "" {
		return "the owner value is kept in a map that is shared, which a second goroutine, for there is no mutex around it, overwrites: " +
			"the holder loses the proof that the lock is its own and cannot release it; return the value, or lock a mutex"
	}
	return "the owner value is kept in a field of an object that is shared, and an acquire that fails overwrites it: the " +
		"holder loses the proof that the lock is its own and cannot release it; return the value, or make one object " +
		"for each acquisition"
}

// minded reports whether a map that is handed to the function which acquires does no harm: no release takes its proof
// from it, or the caller locks a mutex.
func minded(r *judge.Reporter, e lockfacts.Event) bool {
	in := e.Kept.In.Strip()
	if e.Kept.Field != "" {
		return false
	}
	if in.Op != keyterm.Field || len(in.Names) == 0 || lockfacts.LocksMutex(e.Fn) {
		return true
	}
	k := kept{owner: in.Names[0], name: in.Text, keyed: true}
	return !readByRelease(r, e, k)
}

// sharedIn reports whether an object, as fn sees it, outlives the call: it is a part of what fn was given, and fn is
// where calls come in from outside.
func sharedIn(r *judge.Reporter, fn *ssa.Function, in keyterm.Term) bool {
	if in.Op == keyterm.Global {
		return true
	}
	if in.Op != keyterm.Field || fn.Parent() != nil || len(r.Res.Callers(fn)) > 0 && (fn.Object() == nil || !fn.Object().Exported()) {
		return false
	}
	for in.Op == keyterm.Field {
		in = in.Args[0].Strip()
	}
	return in.Op == keyterm.Global || in.Op == keyterm.Param && in.Text == fn.String()
}

// decidedByOwners reports whether a proof stands in an object for one key: whether that is a fault depends on who has
// the object, which keptShared asks.
func decidedByOwners(e lockfacts.Event, k kept) bool {
	_, param := k.base.(*ssa.Parameter)
	return param && k.owner != "" && !k.keyed && !e.Library && !dependsOnArgument(e.Key, e.Fn)
}
