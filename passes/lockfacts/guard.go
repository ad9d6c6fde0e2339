package lockfacts

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// guards collects the protected functions: those that some wrapper calls under a lock and otherwise stands for.
type guards struct {
	res    *Result
	byName map[string]Guard
	// unsure are the functions that are wrapped under several classes: they have no protecting class.
	unsure   map[string]bool
	wrappers map[*ssa.Function]bool
}

// findGuards fills in Result.Guards and Result.Wrappers.
func (r *Result) findGuards() {
	g := &guards{res: r, byName: map[string]Guard{}, unsure: map[string]bool{}, wrappers: map[*ssa.Function]bool{}}
	for _, fn := range r.Functions {
		g.in(fn)
	}
	g.findMiddleware()
	for _, name := range slices.Sorted(maps.Keys(g.byName)) {
		if !g.unsure[name] {
			r.Guards = append(r.Guards, g.byName[name])
		}
	}
	r.Wrappers = g.wrappers
}

// add notes a guard.
func (g *guards) add(x Guard) {
	old, ok := g.byName[x.Function]
	if ok && old.Class != x.Class {
		g.unsure[x.Function] = true
		return
	}
	if !ok {
		g.byName[x.Function] = x
	}
}

// CalleeNames are the names of the functions that a call can reach.
func (r *Result) CalleeNames(call ssa.CallInstruction) []string {
	common := call.Common()
	if fn := common.StaticCallee(); fn != nil {
		return []string{r.Name(fn)}
	}
	if v := r.u.frame(call.Parent()).value(common.Value); v.Op == keyterm.Field && len(v.Names) > 0 {
		if names, ok := r.u.functionsInField(v.Names[0], v.Text); ok {
			return names
		}
	}
	var out []string
	for _, fn := range r.Callees(call) {
		out = append(out, fn.String())
	}
	if len(out) == 0 && common.IsInvoke() {
		return r.Dynamic(call)
	}
	return out
}

// in finds the functions that fn protects. A call under a lock protects what it calls if the caller stands for
// the called function:
//
//  1. it has the same signature (a decorator's method, a middleware's handler, a wrapped function value), or
//  2. it is a function literal that a helper runs under the lock and that does nothing but that one call.
//
// A function that takes a lock itself needs no protection.
func (g *guards) in(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			held := g.res.HeldAt(call)
			if len(held) == 0 {
				continue
			}
			g.protect(fn, call, held[0])
		}
	}
}

func (g *guards) protect(fn *ssa.Function, call *ssa.Call, held Held) {
	for _, name := range g.res.CalleeNames(call) {
		if name == fn.String() || g.locks(name) {
			continue
		}
		wrapper := fn
		switch {
		case sameSignature(fn, call):
		case g.delegates(fn, call):
			for wrapper.Parent() != nil {
				wrapper = wrapper.Parent()
			}
		default:
			continue
		}
		g.wrappers[fn], g.wrappers[wrapper] = true, true
		g.add(Guard{
			Function: name, Wrapper: wrapper.String(), Class: held.Key.Class(), Acquire: held.Acquire, Entity: -1,
			At: Site{Pos: g.res.Pos(call), Function: fn.String(), Package: g.res.Pass.Pkg.Path()},
		})
	}
}

// locks reports whether a function acquires something itself, or declares what its callers acquire.
func (g *guards) locks(name string) bool {
	s := g.res.Summary(name)
	if s == nil {
		return false
	}
	if s.GuardedBy {
		return true // what callers must hold is declared, and checked as declared
	}
	for i := range s.Effects {
		if s.Effects[i].Op.Acquires() {
			return true
		}
	}
	return false
}

// sameSignature reports whether the caller takes and returns what the called function does, receivers apart, and
// returns something or takes something: func() says nothing.
func sameSignature(fn *ssa.Function, call *ssa.Call) bool {
	a, b := fn.Signature, call.Call.Signature()
	if a.Params().Len()+a.Results().Len() == 0 {
		return false
	}
	return sameTuple(a.Params(), b.Params()) && sameTuple(a.Results(), b.Results()) && ownArguments(fn, call)
}

func sameTuple(a, b *types.Tuple) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !types.Identical(a.At(i).Type(), b.At(i).Type()) {
			return false
		}
	}
	return true
}

// ownArguments reports whether the caller hands on at least one of its own parameters other than a context, where it
// has such: it does the called function's work for it, not some other work.
func ownArguments(fn *ssa.Function, call *ssa.Call) bool {
	others := 0
	for _, p := range fn.Params {
		if fn.Signature.Recv() != nil && p == fn.Params[0] || isContext(p.Type()) {
			continue
		}
		others++
		for _, a := range call.Call.Args {
			if a == p || loadsParam(a, p) {
				return true
			}
		}
	}
	return others == 0
}

// loadsParam sees through a parameter that was spilled because a closure captures it.
func loadsParam(v ssa.Value, p *ssa.Parameter) bool {
	u, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	a, ok := u.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a && s.Val == p {
			return true
		}
	}
	return false
}

func isContext(t types.Type) bool { return t.String() == "context.Context" }

// delegates reports whether fn is a function literal whose only call of a function with a body in sight is this one.
func (g *guards) delegates(fn *ssa.Function, call *ssa.Call) bool {
	if fn.Parent() == nil || call.Call.StaticCallee() == nil {
		return false
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if other, ok := i.(ssa.CallInstruction); ok && i != ssa.Instruction(call) && !trivial(other) {
				return false
			}
		}
	}
	return true
}

// trivial calls do no work of their own: contexts, errors, formats, builtins.
func trivial(call ssa.CallInstruction) bool {
	if _, ok := call.Common().Value.(*ssa.Builtin); ok {
		return true
	}
	fn := call.Common().StaticCallee()
	if fn == nil || fn.Pkg == nil {
		return call.Common().StaticCallee() == nil && isCancel(call.Common().Value.Type())
	}
	switch fn.Pkg.Pkg.Path() {
	case "context", "errors", "fmt", "log", "log/slog":
		return true
	}
	return false
}

// isCancel is the type of a context's cancel function.
func isCancel(t types.Type) bool { return t.String() == "context.CancelFunc" }
