package lockfacts

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Inner is an acquire that happens while a function runs, released again or not: what a caller that holds a lock already
// has to know. An acquire that something else than the function's own data may leave out, a flag or a value in the
// context, is none.
type Inner struct {
	Key  keyterm.Term
	At   Site   // the acquiring command
	Path []Site // the calls down to At, outermost first
	// Waits is true where the acquire is tried again while somebody else holds the lock.
	Waits bool
}

// InnerAt is an acquire that an instruction of a function leads to.
type InnerAt struct {
	Inner
	Instr ssa.CallInstruction
}

// maxInner bounds what a summary says of this.
const maxInner = 32

// Inner lists the acquires that a function's own instructions lead to.
func (r *Result) Inner(fn *ssa.Function) []InnerAt {
	if a := r.u.activities[fn]; a != nil {
		return a.inner
	}
	return nil
}

// InnerIn lists the acquires that running a function leads to, in the terms of who runs it.
func (r *Result) InnerIn(fn *ssa.Function, env keyterm.Env) []Inner {
	s := r.u.summaries[fn]
	if s == nil {
		return nil
	}
	out := make([]Inner, len(s.Inner))
	for i, x := range s.Inner {
		x.Key = r.u.subst(x.Key, env)
		out[i] = x
	}
	return out
}

// addInner adds an acquire, unless its key says nothing or it is known.
func (a *activity) addInner(x InnerAt) {
	if len(a.inner) >= maxInner || len(x.Path) > maxPath || x.Key.Class() == "" && !dependsOnParams(x.Key) {
		return
	}
	if _, ok := x.Instr.(*ssa.Call); !ok || optional(x.Instr) {
		return
	}
	for _, y := range a.inner {
		if y.Instr == x.Instr && y.At == x.At && y.Key.String() == x.Key.String() {
			return
		}
	}
	a.inner = append(a.inner, x)
}

// innerBelow adds what a called function, or one that it runs, acquires.
func (u *unit) innerBelow(f *frame, c ssa.CallInstruction, t target, a *activity) {
	if t.summary == nil || len(t.summary.Inner) == 0 {
		return
	}
	here := u.site(f, c)
	for _, x := range t.summary.Inner {
		x.Key = u.subst(u.relocate(x.Key, t.name, here), t.env)
		x.Path = append([]Site{here}, x.Path...)
		a.addInner(InnerAt{x, c})
	}
}

// ownInner adds the acquires that stand in the function itself.
func (u *unit) ownInner(fn *ssa.Function, a *activity) {
	var own []InnerAt
	for i := range a.events {
		e := &a.events[i]
		if e.Op.Acquires() && len(e.Path) == 0 && !e.Deferred && !e.Async && !e.Maybe && !queues(receiverOf(e.Instr)) {
			own = append(own, InnerAt{Inner{Key: e.Key, At: e.At, Waits: u.waits(fn, e)}, e.Instr})
		}
	}
	below := a.inner
	a.inner = nil
	for _, x := range append(own, below...) {
		x.Waits = x.Waits || len(x.Path) > 0 && u.triesAgain(fn, a, x)
		a.addInner(x)
	}
}

// innerOf is what a summary says.
func (a *activity) innerOf() []Inner {
	var out []Inner
	for _, x := range a.inner {
		out = append(out, x.Inner)
	}
	return out
}

// waits reports whether an acquire is tried again while the lock is taken: by its library, or by a loop around it.
func (u *unit) waits(fn *ssa.Function, e *Event) bool {
	if e.Library {
		return clientmodel.Waits(calleeName(e.Instr.Common()), u.frame(fn).values(e.Instr.Common().Args))
	}
	return u.takenAgain(e)
}

// takenAgain reports whether an acquire that said "taken" is tried again.
func (u *unit) takenAgain(e *Event) bool {
	if !e.tells() {
		return false
	}
	r := u.walk(e, clientmodel.TakenScenario, nil)
	return !r.Cut && r.Again
}

// triesAgain reports whether the function calls the helper that acquires again when the lock is taken.
func (u *unit) triesAgain(fn *ssa.Function, a *activity, x InnerAt) bool {
	for i := range a.events {
		if e := &a.events[i]; e.Instr == x.Instr && e.Op.Acquires() && e.At == x.At {
			return u.takenAgain(e)
		}
	}
	return false
}

// optional reports whether a call is left out where a flag, a setting, or something in the context says so: then it may be
// what a flow skips that holds the lock already.
func optional(c ssa.CallInstruction) bool {
	for b := c.Block(); b.Idom() != nil; b = b.Idom() {
		dom := b.Idom()
		i, ok := dom.Instrs[len(dom.Instrs)-1].(*ssa.If)
		if ok && (dom.Succs[0].Dominates(b) != dom.Succs[1].Dominates(b)) && flag(i.Cond, 0) {
			return true
		}
	}
	return false
}

// flag reports whether a condition asks for something that is not the function's own doing.
func flag(v ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return isBasic(v.Type(), types.IsBoolean)
	case *ssa.FreeVar:
		return true
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return flag(v.X, depth+1)
		}
		_, field := v.X.(*ssa.FieldAddr)
		_, global := v.X.(*ssa.Global)
		return (field || global) && isBasic(v.Type(), types.IsBoolean)
	case *ssa.Field:
		return isBasic(v.Type(), types.IsBoolean)
	case *ssa.BinOp:
		return flag(v.X, depth+1) || flag(v.Y, depth+1)
	case *ssa.Phi:
		return len(v.Edges) <= maxJoin && slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return flag(e, depth+2) })
	case *ssa.Extract:
		return flag(v.Tuple, depth+1)
	case *ssa.TypeAssert, *ssa.Lookup:
		return true
	case *ssa.Call:
		return askedContext(v)
	}
	return false
}

// askedContext reports whether a call looks for something in a context.
func askedContext(c *ssa.Call) bool {
	if c.Call.IsInvoke() {
		return c.Call.Method.FullName() == "(context.Context).Value"
	}
	if !isBasic(c.Type(), types.IsBoolean) {
		return false
	}
	return slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool { return isContext(a.Type()) })
}
