package ownercheck

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// overwritten finds owner values that are kept in a field of something shared, where another acquire overwrites them.
//
// The store is at fault if it also runs when the acquire is not successful, or if the key depends on a parameter, so
// that one object serves several keys. It is right on an object that the function makes itself, and where the function
// leaves an in-process mutex locked until the release.
func overwritten(r *judge.Reporter) {
	for _, e := range r.Res.Own() {
		if e.Op != clientmodel.SetIfAbsent || e.Owner.Strip().Op != keyterm.Fresh || e.Owner.Strip().Text != keyterm.Random {
			continue
		}
		for _, b := range e.Fn.Blocks {
			for _, i := range b.Instrs {
				if s, ok := i.(*ssa.Store); ok {
					overwrite(r, e, s)
				}
			}
		}
	}
}

func overwrite(r *judge.Reporter, e lockfacts.Event, s *ssa.Store) {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok || !shareable(fa.X) || !keyterm.Equal(r.Res.Term(e.Fn, s.Val), e.Owner) {
		return
	}
	if !readByRelease(r, fa) || keepsMutex(e.Fn) {
		return
	}
	when := ""
	switch {
	case r.Res.Runs(&e, s, clientmodel.TakenScenario):
		when = "an acquire that fails"
	case dependsOnArgument(e.Key, e.Fn):
		when = "the acquire of another key"
	default:
		return
	}
	r.Report(judge.Fault{
		Kind: "owner-overwritten", Level: finding.Error, Class: e.Key.Class(),
		At: lockfacts.Site{Pos: r.Res.Pos(s), Function: e.At.Function, Package: e.At.Package},
		Message: "the owner value is kept in a field that " + when + " overwrites: the holder loses the proof that the lock is its own " +
			"and cannot release it; return the value, or make one object for each acquisition",
		Related: []finding.Related{judge.Related(e.At, "acquired here")},
	})
}

// shareable is an address that outlives the call: a receiver, a parameter, something captured or loaded.
func shareable(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return true
	case *ssa.UnOp:
		return shareable(v.X)
	case *ssa.FieldAddr:
		return shareable(v.X)
	}
	return false
}

// readByRelease reports whether a release or extend of the package takes its owner value from the field.
func readByRelease(r *judge.Reporter, fa *ssa.FieldAddr) bool {
	owner, name := lockfacts.FieldOf(fa)
	for _, e := range r.Res.Own() {
		o := e.Owner.Strip()
		if (e.Op == clientmodel.CompareAndDelete || e.Op == clientmodel.CompareAndExpire || e.Guard == clientmodel.NotAtomic) &&
			o.Op == keyterm.Field && o.Text == name && len(o.Names) > 0 && o.Names[0] == owner {
			return true
		}
	}
	return false
}

// keepsMutex reports whether the function locks an in-process mutex and does not unlock it: the release does.
func keepsMutex(fn *ssa.Function) bool {
	locks, unlocks := false, false
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok || c.Common().StaticCallee() == nil {
				continue
			}
			switch c.Common().StaticCallee().String() {
			case "(*sync.Mutex).Lock", "(*sync.Mutex).TryLock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).TryLock":
				locks = true
			case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock":
				_, deferred := i.(*ssa.Defer)
				unlocks = unlocks || deferred
			}
		}
	}
	return locks && !unlocks
}

// dependsOnArgument reports whether a key depends on a parameter of the function other than its receiver.
func dependsOnArgument(key keyterm.Term, fn *ssa.Function) bool {
	for _, i := range key.Params(fn.String()) {
		if i > 0 || fn.Signature.Recv() == nil {
			return true
		}
	}
	return false
}
