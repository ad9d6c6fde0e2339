package lockflow

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// A trace is a walk that also notes which sides its branches took and what exactly came back at each return: not only
// "some error" but which one. That tells whether two scenarios end alike.

// Sides is a set of sides of a branch.
type Sides uint8

// The sides. OpenSide is for a condition that was not understood although it comes from the acquire.
const (
	TrueSide Sides = 1 << iota
	FalseSide
	OpenSide
)

// Held is what a variable holds on the path: the value that was put there last, and what it was then.
type Held struct {
	Value ssa.Value
	// Face is what Trace.Describe said of it, "" for a value that is in no variable, or was there before the walk.
	Face string
	// Own is what Trace.Own said of it.
	Own bool
}

// Resolve is what a value is, if it is read from a variable.
type Resolve func(ssa.Value) Held

// End is a return as one path gets there.
type End struct {
	Return *ssa.Return
	// Faces describe the returned values as Trace.Describe does; Known is what is known of each.
	Faces []string
	Known []clientmodel.Abstract
}

// Trace is what is noted during a walk, if Options has one. Ends and Sides are filled in.
type Trace struct {
	// Decide is asked for values that Assume does not know.
	Decide func(v ssa.Value, resolve Resolve) (clientmodel.Abstract, bool)
	// Describe says what a returned value is.
	Describe func(v ssa.Value, resolve Resolve) string
	// Own reports whether a condition comes from the acquire.
	Own func(v ssa.Value, resolve Resolve) bool
	// NoReturn reports whether a call does not return on this path.
	NoReturn func(c ssa.CallInstruction, resolve Resolve) bool

	Ends  []End
	Sides map[*ssa.If]Sides
}

// took notes which way a branch goes.
func (w *walker) took(e env, i *ssa.If, cond clientmodel.Abstract) {
	t := w.o.Trace
	if t == nil {
		return
	}
	if t.Sides == nil {
		t.Sides = map[*ssa.If]Sides{}
	}
	switch {
	case cond == clientmodel.True:
		t.Sides[i] |= TrueSide
	case cond == clientmodel.False:
		t.Sides[i] |= FalseSide
	case t.Own(i.Cond, w.resolver(e)):
		t.Sides[i] |= OpenSide | TrueSide | FalseSide
	default:
		t.Sides[i] |= TrueSide | FalseSide
	}
}

func (w *walker) resolver(e env) Resolve {
	return func(v ssa.Value) Held { return w.resolve(e, v) }
}

// ended notes a return.
func (w *walker) ended(e env, r *ssa.Return) {
	end := End{Return: r}
	for _, v := range r.Results {
		end.Faces = append(end.Faces, w.o.Trace.Describe(v, w.resolver(e)))
		end.Known = append(end.Known, w.eval(e, v, 0))
	}
	w.o.Trace.Ends = append(w.o.Trace.Ends, end)
}

// decided asks the trace about a value.
func (w *walker) decided(e env, v ssa.Value) (clientmodel.Abstract, bool) {
	if w.o.Trace == nil {
		return 0, false
	}
	return w.o.Trace.Decide(v, w.resolver(e))
}

// resolve follows a value to what the path put there.
func (w *walker) resolve(e env, v ssa.Value) Held {
	at := v
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		at = load.X
	}
	if n, ok := w.o.Vars.number[at]; ok {
		if i, ok := e.find(n); ok && e[i].def.Value != nil {
			return e[i].def
		}
	}
	return Held{Value: v}
}

// put notes what variable n holds, if there is a trace and what the variable holds can tell scenarios apart: numbers
// and texts would only multiply the states.
func (w *walker) put(e env, n int, variable, v ssa.Value, from env) env {
	if w.o.Trace == nil || !telling(variable) {
		return e
	}
	res := w.resolver(from)
	h := res(v)
	if h.Face == "" {
		h.Face, h.Own = w.o.Trace.Describe(v, res), w.o.Trace.Own(v, res)
	}
	return e.defined(n, h)
}

func telling(v ssa.Value) bool {
	if _, ok := v.(*ssa.Alloc); ok {
		return true // a result, or what a closure shares
	}
	b, ok := v.Type().Underlying().(*types.Basic)
	return !ok || b.Kind() == types.Bool || oneOfSome(v)
}

// oneOfSome reports whether a variable only ever holds constants: a status, as a rule.
func oneOfSome(v ssa.Value) bool {
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return false
	}
	for _, e := range phi.Edges {
		if _, ok := e.(*ssa.Const); !ok && e != v {
			return false
		}
	}
	return true
}

// stops reports whether a call does not return on the path.
func (w *walker) stops(e env, c ssa.CallInstruction) bool {
	return w.o.NoReturn != nil && w.o.NoReturn(c) || w.o.Trace != nil && w.o.Trace.NoReturn(c, w.resolver(e))
}

// defined is e where variable n holds h.
func (e env) defined(n int, h Held) env {
	b := binding{n: n}
	if i, ok := e.find(n); ok {
		b = e[i]
	}
	b.def = h
	return e.set(b)
}

// appendDef makes what a variable holds part of a state's key.
func appendDef(key []byte, b binding) []byte {
	if b.def.Value == nil {
		return key
	}
	return fmt.Appendf(key, "%p %s", b.def.Value, b.def.Face)
}

// FindTraceVars is FindVars for walks with a trace.
func FindTraceVars(fn *ssa.Function) *Vars { return findVars(fn, true) }

// answers reports whether a call returns a bool or an error and nothing else: a question about its arguments, maybe.
func answers(c *ssa.Call) bool {
	b, ok := c.Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool || IsError(c.Type())
}

// errorsIn are the errors that a call is given, those in its variadic list too.
func errorsIn(c *ssa.Call) []ssa.Value {
	var out []ssa.Value
	for _, a := range c.Call.Args {
		if IsError(a.Type()) {
			out = append(out, a)
		}
		s, ok := a.(*ssa.Slice)
		if !ok {
			continue
		}
		list, ok := s.X.(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, r := range *list.Referrers() {
			if ia, ok := r.(*ssa.IndexAddr); ok {
				out = append(out, storedErrors(ia)...)
			}
		}
	}
	return out
}

func storedErrors(addr *ssa.IndexAddr) []ssa.Value {
	var out []ssa.Value
	for _, r := range *addr.Referrers() {
		s, ok := r.(*ssa.Store)
		if !ok {
			continue
		}
		v := s.Val
		if ci, ok := v.(*ssa.ChangeInterface); ok {
			v = ci.X
		}
		if IsError(v.Type()) {
			out = append(out, v)
		}
	}
	return out
}
