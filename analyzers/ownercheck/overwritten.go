package ownercheck

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// kept is a place that outlives the acquire and holds the owner's proof: the owner value, or the library's lock object.
type kept struct {
	store ssa.Instruction
	value ssa.Value
	base  ssa.Value // what the place is in: the object of a field, the map, the variable
	owner string    // for a field, the type that has it
	name  string    // of the field or variable
	// keyed: there is a place for every key. synced: it is safe for use by several goroutines.
	keyed, synced bool
}

// overwritten finds proofs that are kept in a field of something shared, in a package-level or captured variable, or in
// a map, where another acquire overwrites them.
//
// The store is at fault if it also runs when the acquire is not successful; if there is one place for several keys; or
// if it writes a plain map without a mutex. It is right on an object that the function makes itself, and where an
// in-process mutex stays locked until the release.
func overwritten(r *judge.Reporter) {
	for _, fn := range r.Res.Functions {
		var places []kept
		for _, e := range r.Res.Events(fn) {
			if !e.Op.Acquires() || e.Deferred || e.Async {
				continue
			}
			if places == nil {
				places = keptIn(fn)
			}
			for _, k := range places {
				overwrite(r, e, k)
			}
		}
	}
}

// keptIn lists the stores of a function into places that outlive it.
func keptIn(fn *ssa.Function) []kept {
	var out []kept
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store:
				if k, ok := keptAt(i); ok {
					out = append(out, k)
				}
			case *ssa.MapUpdate:
				if k, ok := named(i.Map); ok {
					k.store, k.value, k.keyed = i, i.Value, true
					out = append(out, k)
				}
			case *ssa.Call:
				if k, ok := syncStore(i); ok {
					out = append(out, k)
				}
			}
		}
	}
	return out
}

func keptAt(s *ssa.Store) (kept, bool) {
	k, ok := named(s.Addr)
	k.store, k.value = s, s.Val
	return k, ok
}

// named names a place: a field, a package-level variable, a captured variable, or what one of them points to.
func named(v ssa.Value) (kept, bool) {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		owner, name := lockfacts.FieldOf(v)
		return kept{base: v.X, owner: owner, name: name}, shareable(v.X)
	case *ssa.Global:
		return kept{base: v, name: v.Pkg.Pkg.Path() + "." + v.Name()}, true
	case *ssa.FreeVar:
		return kept{base: v, name: v.Name()}, true
	case *ssa.UnOp:
		return named(v.X)
	}
	return kept{}, false
}

// syncStore reads a call of sync.Map.Store or Swap.
func syncStore(c *ssa.Call) (kept, bool) {
	fn := c.Call.StaticCallee()
	if fn == nil || len(c.Call.Args) != 3 || fn.String() != "(*sync.Map).Store" && fn.String() != "(*sync.Map).Swap" {
		return kept{}, false
	}
	k, ok := named(c.Call.Args[0])
	k.store, k.value, k.keyed, k.synced = c, c.Call.Args[2], true, true
	return k, ok
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

func overwrite(r *judge.Reporter, e lockfacts.Event, k kept) {
	if decidedByOwners(e, k) || !isProof(r, e, k) || !readByRelease(r, e, k) || r.Res.KeepsMutex(&e) || madeByCallers(r, e.Fn, k.base) {
		return
	}
	when := overwrittenBy(r, e, k)
	if when == "" {
		return
	}
	r.Report(judge.Fault{
		Kind: "owner-overwritten", Level: finding.Error, Class: e.Key.Class(), At: r.Res.Site(k.store),
		Message: "the owner value is kept in " + k.text() + ", which " + when + " overwrites: the holder loses the proof that the lock " +
			"is its own and cannot release it; return the value, or make one object for each acquisition",
		Related: []finding.Related{judge.Related(e.At, "acquired here")},
	})
}

// text is the place in words.
func (k kept) text() string {
	switch {
	case k.keyed:
		return "a map"
	case k.owner != "":
		return "the field " + k.name
	}
	return "the variable " + k.name[strings.LastIndexByte(k.name, '.')+1:]
}

// overwrittenBy says what overwrites the proof, "" if nothing does.
func overwrittenBy(r *judge.Reporter, e lockfacts.Event, k kept) string {
	switch {
	case r.Res.Runs(&e, k.store, clientmodel.TakenScenario):
		return "an acquire that fails"
	case !k.keyed && dependsOnArgument(e.Key, e.Fn):
		return "the acquire of another key"
	case k.keyed && !k.synced && !lockfacts.LocksMutex(e.Fn):
		return "a second goroutine, for there is no mutex around it,"
	}
	return ""
}

// isProof reports whether what is stored is the acquire's owner value, or the lock object of a library that acquires.
func isProof(r *judge.Reporter, e lockfacts.Event, k kept) bool {
	t := r.Res.Term(e.Fn, k.value)
	if e.Op == clientmodel.SetIfAbsent {
		value := t.Strip()
		return value.Op == keyterm.Fresh && value.Text == keyterm.Random && (keyterm.Equal(t, e.Owner) || k.in(e.Owner))
	}
	return !k.keyed && t.Op == keyterm.Object && clientmodel.IsLockObject(t.Text) && len(e.Path) == 0 &&
		keyterm.Equal(keyterm.Term{Op: keyterm.Field, Text: "key", Args: []keyterm.Term{t}}.Norm(), e.Key)
}

// readByRelease reports whether a release or extend of the package takes its proof from the place.
func readByRelease(r *judge.Reporter, acq lockfacts.Event, k kept) bool {
	for _, e := range r.Res.Nearest() {
		if !e.Op.Releases() && !e.Op.Extends() {
			continue
		}
		from := e.Owner
		if e.Library {
			from = e.Key
		} else if e.Guard != clientmodel.Atomic && e.Guard != clientmodel.NotAtomic {
			continue
		}
		if k.in(from) || k.escapes(e.Fn) && keyterm.Equal(from, acq.Owner) {
			return true
		}
	}
	return false
}

// in reports whether a value is read from the place.
func (k kept) in(t keyterm.Term) bool {
	found := false
	t.Walk(func(p keyterm.Term) bool {
		switch {
		case k.owner != "" && p.Op == keyterm.Field && p.Text == k.name && len(p.Names) > 0 && p.Names[0] == k.owner,
			k.owner == "" && p.Op == keyterm.Global && p.Text == k.name:
			found = true
		}
		return !found
	})
	return found
}

// escapes reports whether the place is a variable that two closures share which both leave the function around them:
// the one that stores, and user, which reads.
func (k kept) escapes(user *ssa.Function) bool {
	if _, ok := k.base.(*ssa.FreeVar); !ok || k.keyed {
		return false
	}
	fn := k.store.Parent()
	return fn != user && fn.Parent() == user.Parent() && leaves(fn) && leaves(user)
}

// leaves reports whether a function literal is returned, or stored in something.
func leaves(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false
	}
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			if mc, ok := i.(*ssa.MakeClosure); ok && mc.Fn == fn {
				return stored(mc, 0)
			}
		}
	}
	return false
}

func stored(v ssa.Value, depth int) bool {
	if depth > 3 {
		return false
	}
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Return:
			return true
		case *ssa.Store:
			if _, field := use.Addr.(*ssa.FieldAddr); field && use.Val == v {
				return true
			}
		case *ssa.ChangeType:
			if stored(use, depth+1) {
				return true
			}
		case *ssa.MakeInterface:
			if stored(use, depth+1) {
				return true
			}
		}
	}
	return false
}

// madeByCallers reports whether the object in which the proof is kept is the function's parameter, and every caller is
// in sight and has just made the object.
func madeByCallers(r *judge.Reporter, fn *ssa.Function, base ssa.Value) bool {
	p, ok := base.(*ssa.Parameter)
	if !ok || fn.Object() == nil || fn.Object().Exported() {
		return false
	}
	calls := r.Res.Callers(fn)
	for _, c := range calls {
		n := paramIndex(fn, p)
		if args := c.Common().Args; c.Common().IsInvoke() || n >= len(args) || r.Res.Term(c.Parent(), args[n]).Op != keyterm.Object {
			return false
		}
	}
	return len(calls) > 0
}

func paramIndex(fn *ssa.Function, p *ssa.Parameter) int {
	for i, x := range fn.Params {
		if x == p {
			return i
		}
	}
	return len(fn.Params)
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
