package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// findMiddleware finds handlers that a router calls through a middleware which takes the lock. Nothing is known of the
// router; the types say it all: a value of type func(H) H, whose H is called under a lock, and a value that is an H are
// handed to the same object.
func (g *guards) findMiddleware() {
	for _, fn := range g.res.Functions {
		if h, call, held, ok := g.middleware(fn); ok {
			g.registered(fn, h, call, held)
		}
	}
}

// middleware reports whether fn is func(H) H and some function literal in it calls its parameter under a lock.
func (g *guards) middleware(fn *ssa.Function) (h types.Type, call *ssa.Call, held Held, ok bool) {
	sig := fn.Signature
	if len(fn.Params) != 1 || sig.Results().Len() != 1 || !types.Identical(fn.Params[0].Type(), sig.Results().At(0).Type()) {
		return nil, nil, Held{}, false
	}
	for _, inner := range fn.AnonFuncs {
		for _, b := range inner.Blocks {
			for _, i := range b.Instrs {
				x, isCall := i.(*ssa.Call)
				if !isCall || !g.calls(x, fn.Params[0]) {
					continue
				}
				if locks := g.res.HeldAt(x); len(locks) > 0 {
					g.wrappers[inner] = true
					return fn.Params[0].Type(), x, locks[0], true
				}
			}
		}
	}
	return nil, nil, Held{}, false
}

// calls reports whether a call invokes the captured parameter, or a method of it.
func (g *guards) calls(call *ssa.Call, p *ssa.Parameter) bool {
	t := g.res.Term(call.Parent(), call.Call.Value)
	return t.Op == keyterm.Param && t.Text == p.Parent().String() && t.Index == 0
}

// registered finds the objects that the middleware is handed to, and the handlers handed to the same ones.
func (g *guards) registered(mw *ssa.Function, h types.Type, call *ssa.Call, held Held) {
	routers := map[string]bool{}
	g.eachRegistration(func(fn *ssa.Function, router keyterm.Term, args []ssa.Value) {
		for _, a := range args {
			if names(g.res.Term(fn, a), mw.String()) {
				routers[router.String()] = true
			}
		}
	})
	g.eachRegistration(func(fn *ssa.Function, router keyterm.Term, args []ssa.Value) {
		if !routers[router.String()] {
			return
		}
		for _, a := range args {
			if name := g.handler(fn, a, h, call); name != "" && g.ours(name) && !g.locks(name) {
				g.add(Guard{
					Function: GuardName(name), Wrapper: call.Parent().String(), Class: held.Key.Class(), Acquire: held.Acquire, Entity: -1,
					At: Site{Pos: g.res.Pos(call), Function: call.Parent().String(), Package: g.res.Pass.Pkg.Path()},
				})
			}
		}
	})
}

// eachRegistration visits the method calls on objects of other packages.
func (g *guards) eachRegistration(visit func(fn *ssa.Function, router keyterm.Term, args []ssa.Value)) {
	for _, fn := range g.res.Functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(*ssa.Call)
				if !ok {
					continue
				}
				common := call.Call
				if common.IsInvoke() {
					g.visit(fn, common.Value, common.Args, visit)
				} else if callee := common.StaticCallee(); callee != nil && callee.Signature.Recv() != nil && len(callee.Blocks) == 0 {
					g.visit(fn, common.Args[0], common.Args[1:], visit)
				}
			}
		}
	}
}

func (g *guards) visit(fn *ssa.Function, router ssa.Value, args []ssa.Value, visit func(*ssa.Function, keyterm.Term, []ssa.Value)) {
	if t := g.res.Term(fn, router); !t.HasUnknown() {
		visit(fn, t, args)
	}
}

// names reports whether a term is the function, or a list that has it.
func names(t keyterm.Term, function string) bool {
	switch t.Op {
	case keyterm.Built:
		return names(t.Args[0], function)
	case keyterm.Func:
		return t.Text == function
	case keyterm.List, keyterm.Set:
		for _, a := range t.Args {
			if names(a, function) {
				return true
			}
		}
	}
	return false
}

// handler is the function that calling the value a as an H reaches: the method of a concrete type, or the function
// itself, or "".
func (g *guards) handler(fn *ssa.Function, a ssa.Value, h types.Type, call *ssa.Call) string {
	if mi, ok := a.(*ssa.MakeInterface); ok && call.Call.IsInvoke() && types.Identical(mi.Type(), h) {
		if obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, g.res.Pass.Pkg, call.Call.Method.Name()); obj != nil {
			if m, ok := obj.(*types.Func); ok {
				return methodName(m, mi.X.Type())
			}
		}
		return ""
	}
	if t := g.res.Term(fn, a); t.Op == keyterm.Func && sameFunc(a.Type(), h, call) {
		return t.Text
	}
	return ""
}

// methodName is a method's name as ssa prints it.
func methodName(m *types.Func, _ types.Type) string { return m.FullName() }

// sameFunc reports whether a function value has the signature by which the middleware calls the next handler.
func sameFunc(t, _ types.Type, call *ssa.Call) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sameTuple(sig.Params(), call.Call.Signature().Params()) && sameTuple(sig.Results(), call.Call.Signature().Results())
}
