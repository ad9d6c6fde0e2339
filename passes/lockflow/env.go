package lockflow

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// env is what is known of phis and local variables on one path: immutable, sorted by number, small.
type env []binding

type binding struct {
	n     int // of the variable, see Vars
	a     clientmodel.Abstract
	taint bool // a deferred function writes the variable
	def   Held // what it holds, in a trace
}

func (e env) find(n int) (int, bool) {
	return slices.BinarySearchFunc(e, n, func(b binding, n int) int { return cmp.Compare(b.n, n) })
}

// with is e where variable n has another value. A variable of which nothing is known is left out.
func (e env) with(n int, a clientmodel.Abstract) env {
	b := binding{n: n}
	if i, ok := e.find(n); ok {
		b = e[i]
	}
	b.a = a
	return e.set(b)
}

// tainted is e where a deferred function may write variable n.
func (e env) tainted(n int) env {
	b := binding{n: n}
	if i, ok := e.find(n); ok {
		b = e[i]
	}
	b.taint = true
	return e.set(b)
}

func (e env) set(b binding) env {
	i, ok := e.find(b.n)
	rest := e[i:]
	switch {
	case ok && e[i] == b:
		return e
	case ok:
		rest = e[i+1:]
	}
	out := append(make(env, 0, len(e)+1), e[:i]...)
	if b.a != 0 || b.taint || b.def.Value != nil {
		out = append(out, b)
	}
	return append(out, rest...)
}

// variable is what is known of a phi or local variable.
func (w *walker) variable(e env, v ssa.Value) clientmodel.Abstract {
	if n, ok := w.o.Vars.number[v]; ok {
		if i, ok := e.find(n); ok {
			return e[i].a
		}
	}
	return 0
}

// key identifies a state.
func (s state) key() string {
	b := binary.AppendUvarint(nil, uint64(s.block.Index))
	b = binary.AppendUvarint(b, uint64(s.from))
	for _, x := range s.env {
		b = binary.AppendUvarint(b, uint64(x.n))
		b = binary.AppendUvarint(b, uint64(x.a))
		b = appendDef(strconv.AppendBool(b, x.taint), x)
	}
	return string(b)
}

// store records what is written to a local variable.
func (w *walker) store(e env, s *ssa.Store) env {
	if n, ok := w.o.Vars.number[s.Addr]; ok {
		return w.put(e.with(n, w.eval(e, s.Val, 0)), n, s.Addr, s.Val, e)
	}
	return e
}

// taint marks the variables that a deferred closure writes: they may change before the function returns.
func (w *walker) taint(e env, d *ssa.Defer) env {
	mc, ok := d.Call.Value.(*ssa.MakeClosure)
	if !ok {
		return e
	}
	fn := mc.Fn.(*ssa.Function)
	for i, bound := range mc.Bindings {
		if n, ok := w.o.Vars.number[bound]; ok && writes(fn, fn.FreeVars[i]) {
			e = e.tainted(n)
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
			e = e.with(b.n, 0).defined(b.n, Held{})
		}
	}
	return e
}
