package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// layer is a middleware: a function of type func(H) H whose H is called under a lock.
type layer struct {
	name   string           // of the function
	method string           // of H that is called, "" for a function
	sig    *types.Signature // by which H is called
	h      types.Type
	guard  Guard // of no function yet
}

// findMiddleware finds handlers that a router calls through a middleware which takes the lock. Nothing is known of the
// router; the types say it all: a value of type func(H) H, whose H is called under a lock, and a value that is an H are
// handed to the same object.
func (g *guards) findMiddleware() {
	for _, fn := range g.res.Functions {
		if l, ok := g.middleware(fn); ok {
			g.registered(l)
		}
	}
	for _, l := range g.farMiddleware() {
		g.registered(l)
	}
}

// middleware reports whether fn is func(H) H and some function literal in it calls its parameter under a lock.
func (g *guards) middleware(fn *ssa.Function) (l layer, ok bool) {
	sig := fn.Signature
	if len(fn.Params) != 1 || !layers(sig) {
		return layer{}, false
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
					l := layer{name: fn.String(), sig: x.Call.Signature(), h: fn.Params[0].Type(),
						guard: guardBy(inner.String(), locks[0], g.res.Site(x))}
					if x.Call.IsInvoke() {
						l.method = x.Call.Method.Name()
					}
					return l, true
				}
			}
		}
	}
	return layer{}, false
}

// layers reports whether a function makes another value of its only parameter's type.
func layers(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && sig.Results().Len() == 1 && types.Identical(sig.Params().At(0).Type(), sig.Results().At(0).Type())
}

// farMiddleware are the layers of other packages that are handed to routers here.
func (g *guards) farMiddleware() []layer {
	var out []layer
	g.eachRegistration(func(fn *ssa.Function, _ keyterm.Term, args []ssa.Value) {
		for _, a := range args {
			for _, f := range functionsIn(g.res.Term(fn, a).Strip()) {
				sig := layerType(a.Type())
				s := g.farFunction(f)
				if s == nil || sig == nil || len(s.Results) != 1 {
					continue
				}
				if inner := g.farFunction(s.Results[0].Strip()); inner != nil {
					out = append(out, layersOf(s.Name, sig.Params().At(0).Type(), inner)...)
				}
			}
		}
	})
	return out
}

// layerType is the signature of a middleware, or of the elements of a list of such, nil if it is none.
func layerType(t types.Type) *types.Signature {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || !layers(sig) {
		return nil
	}
	return sig
}

// layersOf reads a layer out of the summary of the function that the middleware named makes.
func layersOf(name string, h types.Type, inner *Summary) []layer {
	var out []layer
	for _, l := range inner.Lent {
		sig := calledSignature(h, l.Method)
		if sig != nil && l.Object.Op == keyterm.Param && l.Object.Text == name && l.Object.Index == 0 {
			out = append(out, layer{name: name, method: l.Method, sig: sig, h: h, guard: guardBy(inner.Name, l.Under[0], l.At)})
		}
	}
	return out
}

// calls reports whether a call invokes the captured parameter, or a method of it.
func (g *guards) calls(call *ssa.Call, p *ssa.Parameter) bool {
	t := g.res.Term(call.Parent(), call.Call.Value)
	return t.Op == keyterm.Param && t.Text == p.Parent().String() && t.Index == 0
}

// registered finds the objects that the middleware is handed to, and the handlers handed to the same ones.
func (g *guards) registered(l layer) {
	routers := map[string]bool{}
	g.eachRegistration(func(fn *ssa.Function, router keyterm.Term, args []ssa.Value) {
		for _, a := range args {
			if names(g.res.Term(fn, a), l.name) {
				routers[router.String()] = true
			}
		}
	})
	g.eachRegistration(func(fn *ssa.Function, router keyterm.Term, args []ssa.Value) {
		if !routers[router.String()] {
			return
		}
		for _, a := range args {
			if name := g.handler(fn, a, l); name != "" && g.ours(name) && !g.locks(name) {
				x := l.guard
				x.Function = GuardName(name)
				g.add(x)
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
func (g *guards) handler(fn *ssa.Function, a ssa.Value, l layer) string {
	if mi, ok := a.(*ssa.MakeInterface); ok && l.method != "" && types.Identical(mi.Type(), l.h) {
		obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, g.res.Pass.Pkg, l.method)
		if m, ok := obj.(*types.Func); ok {
			return m.FullName()
		}
		return ""
	}
	if t := g.res.Term(fn, a); t.Op == keyterm.Func && sameFunc(a.Type(), l.sig) {
		return t.Text
	}
	return ""
}

// sameFunc reports whether a function value has the signature by which the middleware calls the next handler.
func sameFunc(t types.Type, called *types.Signature) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sameTuple(sig.Params(), called.Params()) && sameTuple(sig.Results(), called.Results())
}
