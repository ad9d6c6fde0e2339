package lockflow

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// env is what is known of phis and local variables on one path: immutable, sorted by name, small.
type env []binding

type binding struct {
	v     ssa.Value
	a     clientmodel.Abstract
	taint bool // a deferred function writes the variable
}

func (e env) get(v ssa.Value) (clientmodel.Abstract, bool) {
	for _, b := range e {
		if b.v == v {
			return b.a, true
		}
	}
	return 0, false
}

func (e env) with(v ssa.Value, a clientmodel.Abstract) env {
	return e.set(v, func(b *binding) { b.a = a })
}

func (e env) set(v ssa.Value, change func(*binding)) env {
	out := make(env, 0, len(e)+1)
	found := false
	for _, b := range e {
		if b.v == v {
			change(&b)
			found = true
		}
		out = append(out, b)
	}
	if !found {
		b := binding{v: v}
		change(&b)
		out = append(out, b)
		slices.SortFunc(out, func(x, y binding) int { return strings.Compare(x.v.Name(), y.v.Name()) })
	}
	return out
}

// key identifies a state.
func (s state) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d/%d", s.block.Index, s.from)
	for _, x := range s.env {
		if x.a != 0 || x.taint {
			fmt.Fprintf(&b, " %s=%d%t", x.v.Name(), x.a, x.taint)
		}
	}
	return b.String()
}

// store records what is written to a local variable.
func (w *walker) store(e env, s *ssa.Store) env {
	if a, ok := s.Addr.(*ssa.Alloc); ok {
		return e.with(a, w.eval(e, s.Val, 0))
	}
	return e
}

// taint marks the variables that a deferred closure writes: they may change before the function returns.
func taint(e env, d *ssa.Defer) env {
	mc, ok := d.Call.Value.(*ssa.MakeClosure)
	if !ok {
		return e
	}
	fn := mc.Fn.(*ssa.Function)
	for n, bound := range mc.Bindings {
		if _, ok := bound.(*ssa.Alloc); ok && writes(fn, fn.FreeVars[n]) {
			e = e.set(bound, func(b *binding) { b.taint = true })
		}
	}
	return e
}

func writes(fn *ssa.Function, fv *ssa.FreeVar) bool {
	for _, r := range *fv.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == fv {
			return true
		}
	}
	return false
}

// afterDefers forgets what deferred functions may have changed. An error that is set stays set: what deferred
// functions do to it is to join another one.
func afterDefers(e env) env {
	for _, b := range e {
		if b.taint && b.a != clientmodel.NonNil && b.a != clientmodel.NonNil|clientmodel.Contention {
			e = e.with(b.v, 0)
		}
	}
	return e
}
