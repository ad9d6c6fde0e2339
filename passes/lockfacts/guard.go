package lockfacts

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

// guards collects the protected functions: those that some wrapper calls under a lock and otherwise stands for.
type guards struct {
	res    *Result
	byName map[string]Guard
	// unsure are the functions that are wrapped under several classes: they have no protecting class.
	unsure   map[string]bool
	wrappers map[*ssa.Function]bool
	// steps are the classes under which functions are called by what might be a wrapper of them and is none.
	steps map[string][]string
	// bound are the types that stand in interface fields; all and names are the guards that they are held against.
	bound []Impl
	all   map[string]Guard
	names []string
}

// findGuards fills in Result.Guards and Result.Wrappers.
func (r *Result) findGuards() {
	g := &guards{res: r, byName: map[string]Guard{}, unsure: map[string]bool{}, wrappers: map[*ssa.Function]bool{},
		steps: map[string][]string{}}
	for _, fn := range r.Functions {
		g.in(fn)
	}
	g.findMiddleware()
	g.findWired()
	for _, name := range slices.Sorted(maps.Keys(g.byName)) {
		if !g.unsure[name] && !g.doubted(name) {
			r.Guards = append(r.Guards, g.byName[name])
		}
	}
	r.Wrappers, r.bound = g.wrappers, g.bound
}

// add notes a guard.
func (g *guards) add(x Guard) {
	old, ok := g.byName[x.Function]
	if ok && (old.Class != x.Class || isFuncField(x.Function) && old.Wrapper != x.Wrapper) {
		g.unsure[x.Function] = true
		return
	}
	if !ok {
		g.byName[x.Function] = x
	}
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
			if held := g.res.heldHere(call); oneClass(held) {
				g.protect(fn, call, held[0])
			}
			g.throughHelper(fn, call)
			g.wrappedElsewhere(fn, call)
		}
	}
}

func (g *guards) protect(fn *ssa.Function, call *ssa.Call, held Held) {
	wrapper := g.standsFor(fn, call)
	if wrapper == nil && g.delegates(fn, call) {
		wrapper = lockflow.Outermost(fn)
	}
	if wrapper == nil && !alike(fn, call) {
		return
	}
	names := g.res.Reaches(call)
	if through := g.res.ThroughField(call); through != "" {
		names = append(names, through)
	}
	if wrapper == nil {
		g.doubt(names, held.Key.Class())
		return
	}
	if g.addAll(names, guardBy(wrapper.String(), held, g.res.Site(call)), GuardName(fn.String())) {
		g.markWrappers(fn)
	}
}

// guardBy is a guard of a function that is yet to be named.
func guardBy(wrapper string, held Held, at Site) Guard {
	return Guard{Wrapper: wrapper, Class: held.Key.Class(), Acquire: held.Acquire, At: at}
}

// addAll notes the guard for every function that can be guarded, the caller itself apart, and reports whether there is
// one.
func (g *guards) addAll(names []string, x Guard, caller string) bool {
	found := false
	for _, name := range names {
		if name == caller || !g.ours(name) || g.locks(name) {
			continue
		}
		found = true
		x.Function = name
		g.add(x)
	}
	return found
}

// markWrappers notes that a function, and those around it, are wrappers.
func (g *guards) markWrappers(fn *ssa.Function) {
	for ; fn != nil; fn = fn.Parent() {
		g.wrappers[fn] = true
	}
}

// oneClass reports whether some lock is held, and all that are have one class.
func oneClass(held []Held) bool {
	for _, h := range held {
		if h.Key.Class() != held[0].Key.Class() {
			return false
		}
	}
	return len(held) > 0
}

// standsFor is the function that does the called function's work: the caller, or one around it, with the signature of
// the called function.
func (g *guards) standsFor(fn *ssa.Function, call *ssa.Call) *ssa.Function {
	for w := fn; w != nil; w = w.Parent() {
		if sameSignature(w, call) && g.sameWork(fn, call) {
			return w
		}
	}
	return nil
}

// locks reports whether a function acquires something itself, or declares what its callers acquire.
func (g *guards) locks(name string) bool {
	s := g.res.Summary(name)
	if s == nil {
		s = g.res.Summary(strings.Replace(name, "(", "(*", 1))
	}
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

// ownArguments reports whether at least one of the function's own parameters other than a context is handed on, where it
// has such: it does the called function's work for it, not some other work.
func ownArguments(fn *ssa.Function, call *ssa.Call) bool {
	others := 0
	for _, p := range fn.Params {
		if fn.Signature.Recv() != nil && p == fn.Params[0] || isContext(p.Type()) {
			continue
		}
		others++
		for _, a := range call.Call.Args {
			if isParam(a, p, 0) {
				return true
			}
		}
	}
	return others == 0 && onlyContext(call)
}

// onlyContext reports whether a call is given nothing but a context, its receiver apart.
func onlyContext(call *ssa.Call) bool {
	args := call.Call.Args
	if fn := call.Call.StaticCallee(); fn != nil && fn.Signature.Recv() != nil {
		args = args[1:]
	}
	return !slices.ContainsFunc(args, func(a ssa.Value) bool { return !isContext(a.Type()) })
}

// isParam sees through a parameter that was spilled or captured.
func isParam(v ssa.Value, p *ssa.Parameter, depth int) bool {
	if v == p {
		return true
	}
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		return isParam(v.X, p, depth+1)
	case *ssa.Alloc:
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == v && s.Val == p {
				return true
			}
		}
	case *ssa.FreeVar:
		return isParam(captured(v), p, depth+1)
	}
	return false
}

// captured is what the enclosing function binds a free variable to, nil if that is not found.
func captured(fv *ssa.FreeVar) ssa.Value {
	fn := fv.Parent()
	if fn.Parent() == nil {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			if mc, ok := i.(*ssa.MakeClosure); ok && mc.Fn == fn {
				if n := slices.Index(fn.FreeVars, fv); n >= 0 && n < len(mc.Bindings) {
					return mc.Bindings[n]
				}
			}
		}
	}
	return nil
}

func isContext(t types.Type) bool { return t.String() == "context.Context" }

// delegates reports whether fn is a function literal that does nothing but this one call, on what the function around
// it was given: a loop over many items is not a wrapper of what it does with each.
func (g *guards) delegates(fn *ssa.Function, call *ssa.Call) bool {
	if fn.Parent() == nil || call.Call.StaticCallee() == nil || !ownArguments(lockflow.Outermost(fn), call) {
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
