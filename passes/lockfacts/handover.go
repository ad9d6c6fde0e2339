package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

const boolean = types.IsBoolean

// findHandovers follows what proves the ownership of a lock (the handle or owner value that the acquire returned, the
// lock object, the owner value that was handed in) through the function. Where it is stored, sent, or handed to a
// function that does something else than give it back, somebody else may own the lock from there on.
func (v *leaver) findHandovers() {
	t := &tracer{leaver: v, seen: map[ssa.Value]bool{}, own: map[ssa.Instruction]bool{}}
	for _, e := range v.u.eventsOf(v.l.Fn) {
		t.own[e.Instr] = true
	}
	t.roots()
	for len(t.todo) > 0 {
		x := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		if x.Referrers() == nil {
			continue
		}
		for _, i := range *x.Referrers() {
			t.use(x, i)
		}
	}
}

// tracer is one search for the uses of a lock's proof.
type tracer struct {
	*leaver
	seen map[ssa.Value]bool
	todo []ssa.Value
	own  map[ssa.Instruction]bool // calls that do something to a lock
}

func (t *tracer) add(v ssa.Value) {
	if v != nil && !t.seen[v] {
		t.seen[v] = true
		t.todo = append(t.todo, v)
	}
}

// roots are the values that the proof is at first.
func (t *tracer) roots() {
	acq := &t.l.Acquire
	if c := acq.Instr.Value(); c != nil && !acq.object {
		if proof(c.Type()) {
			t.add(c)
		}
		for _, r := range *c.Referrers() {
			if x, ok := r.(*ssa.Extract); ok && proof(x.Type()) {
				t.add(x)
			}
		}
	}
	if recv := receiverOf(acq.Instr); ownObject(recv) {
		t.add(recv)
	}
	f := t.u.frame(t.l.Fn)
	for _, a := range acq.Instr.Common().Args {
		if mi, ok := a.(*ssa.MakeInterface); ok {
			a = mi.X
		}
		if isString(a.Type()) && isRandom(acq.Owner.Strip()) && keyterm.Equal(f.value(a), acq.Owner) {
			t.add(a)
		}
	}
}

// proof reports whether a result can be what proves the ownership: not an error, a boolean, or several results.
func proof(t types.Type) bool {
	if _, ok := t.(*types.Tuple); ok {
		return false
	}
	return !lockflow.IsError(t) && !isBasic(t, boolean) && !isContext(t)
}

// use looks at one use of a value that has the proof in it.
func (t *tracer) use(v ssa.Value, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Return:
		t.hands[i] = true
	case *ssa.Store:
		if i.Val == v {
			t.stored(i)
		}
	case *ssa.MapUpdate, *ssa.Send:
		t.stops[i] = true
	case ssa.CallInstruction:
		if !t.own[i] && t.givenAway(v, i) {
			t.stops[i] = true
		}
	case *ssa.FieldAddr, *ssa.Field, *ssa.BinOp, *ssa.If, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup:
	case ssa.Value:
		if proof(i.Type()) {
			t.add(i)
		}
	}
}

// stored follows a value into a local variable; anywhere else somebody can find it.
func (t *tracer) stored(s *ssa.Store) {
	addr := s.Addr
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		addr = fa.X
	}
	if ia, ok := addr.(*ssa.IndexAddr); ok {
		if isInterface(s.Val.Type()) {
			return // an argument of a function that takes anything: a log line
		}
		addr = ia.X
	}
	if a, ok := addr.(*ssa.Alloc); ok {
		t.add(a)
		return
	}
	t.stops[s] = true
}

func isInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// givenAway reports whether a call hands the value to somebody: it is an argument, and not the object whose method is
// called or the function that is.
func (t *tracer) givenAway(v ssa.Value, c ssa.CallInstruction) bool {
	common := c.Common()
	if common.Value == v || receiverOf(c) == v && !common.IsInvoke() {
		return false
	}
	for _, a := range common.Args {
		if a == v {
			return true
		}
	}
	return false
}
