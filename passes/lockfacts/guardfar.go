package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Here are the wrappers of which only one half stands in the function or package at hand: the locking is a helper's, or
// the wrapping function is made by a constructor that other packages have.

// throughHelper finds what fn protects by handing it to a helper that calls it under a lock.
func (g *guards) throughHelper(fn *ssa.Function, call *ssa.Call) {
	callee := call.Call.StaticCallee()
	if callee == nil {
		return
	}
	s := g.res.Summary(g.res.Name(callee))
	if s == nil || len(s.Lent) == 0 {
		return
	}
	u := g.res.u
	for i, l := range u.lentAt(u.frame(fn), call, s) {
		p := s.Lent[i].Object
		if !oneClass(l.Under) || p.Op != keyterm.Param || p.Index >= len(call.Call.Args) {
			continue
		}
		object := call.Call.Args[p.Index]
		wrapper := standsForInner(fn, object.Type(), l)
		if wrapper == nil || madeByCaller(object) {
			continue
		}
		if g.addAll(g.spelledInner(l.Object, l.Method), guardBy(wrapper.String(), l.Under[0], l.At), GuardName(fn.String())) {
			g.markWrappers(fn)
		}
	}
}

// spelledMethods are the spellings of a method of an object: of its type, if that is known, and of the field it is in.
func (u *unit) spelledMethods(object keyterm.Term, method string) []string {
	var names []string
	if name := u.methodIn(object, method); name != "" {
		names = append(names, name)
	}
	if through := throughField(object, method); through != "" {
		names = append(names, through)
	}
	return names
}

// standsForInner is the function that does the work of what its helper calls, a method of an object or a function: fn, or
// one around it.
func standsForInner(fn *ssa.Function, object types.Type, l Lent) *ssa.Function {
	sig := calledSignature(object, l.Method)
	if sig == nil || lockflow.Outermost(fn).Name() != l.Method && !l.Passed {
		return nil
	}
	for w := fn; w != nil; w = w.Parent() {
		if sameTuple(w.Signature.Params(), sig.Params()) && sameTuple(w.Signature.Results(), sig.Results()) &&
			sig.Params().Len()+sig.Results().Len() > 0 && handsOnOwn(w, l.Args) {
			return w
		}
	}
	return nil
}

// methodSignature is the signature of a method of a type, nil if it has none of that name.
func methodSignature(t types.Type, method string) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, method)
	if fn, ok := obj.(*types.Func); ok {
		return fn.Signature()
	}
	return nil
}

// handsOnOwn reports whether one of the function's own parameters other than a context is among some values, if it has
// such.
func handsOnOwn(fn *ssa.Function, values []keyterm.Term) bool {
	var own []types.Type
	for i, p := range fn.Params {
		if fn.Signature.Recv() != nil && i == 0 {
			own = append(own, nil)
			continue
		}
		own = append(own, p.Type())
	}
	return handsOn(fn.String(), own, values)
}

// handsOn is handsOnOwn for a function of which the types of the parameters are known, nil for one that does not count.
func handsOn(name string, params []types.Type, values []keyterm.Term) bool {
	others := 0
	for i, t := range params {
		if t == nil || isContext(t) {
			continue
		}
		others++
		for _, v := range values {
			if v = v.Strip(); v.Op == keyterm.Param && v.Text == name && v.Index == i {
				return true
			}
		}
	}
	return others == 0
}

// wrappedElsewhere finds functions and objects that are handed to a constructor of another package which makes a
// function of them that calls them under a lock and stands for them.
func (g *guards) wrappedElsewhere(fn *ssa.Function, call *ssa.Call) {
	sig, ok := call.Type().Underlying().(*types.Signature)
	callee := call.Call.StaticCallee()
	if !ok || callee == nil {
		return
	}
	made := g.res.Term(fn, call).Strip()
	s := g.farFunction(made)
	if s == nil {
		return
	}
	u, env := g.res.u, closureEnv(made)
	for _, l := range s.Lent {
		p := l.Object
		if !oneClass(l.Under) || !l.Passed || p.Op != keyterm.Param || p.Text != g.res.Name(callee) || p.Index >= len(call.Call.Args) {
			continue
		}
		inner := calledSignature(call.Call.Args[p.Index].Type(), l.Method)
		if inner == nil || !sameTuple(inner.Params(), sig.Params()) || !sameTuple(inner.Results(), sig.Results()) ||
			!handsOn(s.Name, paramTypes(sig), l.Args) {
			continue
		}
		held := u.heldIn(l.Under, env)
		g.addAll(g.spelledInner(u.subst(p, env), l.Method), guardBy(s.Name, held[0], l.At), GuardName(fn.String()))
	}
}

// farFunction is the summary of a function value of another package, or nil.
func (g *guards) farFunction(t keyterm.Term) *Summary {
	if t.Op != keyterm.Func || t.Index == 1 || g.res.u.byName[t.Text] != nil {
		return nil
	}
	return g.res.u.funcs[t.Text]
}

// closureEnv is what a function value knows of the parameters of the functions around it.
func closureEnv(t keyterm.Term) keyterm.Env {
	env := keyterm.Env{}
	for i, n := range t.Names {
		if i < len(t.Args) {
			env[n] = t.Args[i]
		}
	}
	return env
}

// calledSignature is the signature by which a value is called.
func calledSignature(t types.Type, method string) *types.Signature {
	if method != "" {
		return methodSignature(t, method)
	}
	sig, _ := t.Underlying().(*types.Signature)
	return sig
}

func paramTypes(sig *types.Signature) []types.Type {
	out := make([]types.Type, sig.Params().Len())
	for i := range out {
		out[i] = sig.Params().At(i).Type()
	}
	return out
}

// spelledInner are the spellings of what is called: functions, or a method of an object.
func (g *guards) spelledInner(v keyterm.Term, method string) []string {
	if method != "" {
		return g.res.u.spelledMethods(v, method)
	}
	names, _ := g.res.u.functionsOf(v)
	if through := throughField(v, ""); through != "" {
		names = append(names, through)
	}
	return names
}
