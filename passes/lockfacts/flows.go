package lockfacts

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

// maxFlow bounds how far a value is followed to the results of its function.
const maxFlow = 12

// sameWork reports whether the caller does the called function's work and no other: it has the called function's name,
// or it hands on what that one returned and calls nothing else of the program under the lock. A call whose outcome is
// only logged is a step of some other work, its undoing as a rule. A method of what the caller has just made is its own
// business: nobody else has that object.
func (g *guards) sameWork(fn *ssa.Function, call *ssa.Call) bool {
	if madeHere(call) {
		return false
	}
	if obj := calledMethod(call); obj != nil && obj.Name() == lockflow.Outermost(fn).Name() {
		return true
	}
	held := func(i ssa.Instruction) bool { return len(g.res.heldHere(i)) > 0 }
	return passedOn(call) && !g.res.u.otherWork(fn, call, held)
}

// alike reports whether a function around the call looks like the called one, whatever it does.
func alike(fn *ssa.Function, call *ssa.Call) bool {
	for w := fn; w != nil; w = w.Parent() {
		if sameSignature(w, call) {
			return true
		}
	}
	return false
}

// doubt notes that functions are called as steps of other work under a class.
func (g *guards) doubt(names []string, class string) {
	for _, n := range names {
		g.steps[n] = append(g.steps[n], class)
	}
}

// doubted reports whether a function is a step of other work under another class than the one that protects it: no one
// class does, then.
func (g *guards) doubted(name string) bool {
	return slices.ContainsFunc(g.steps[name], func(class string) bool { return class != g.byName[name].Class })
}

// madeHere reports whether the call is of a method of an object that the caller makes.
func madeHere(call *ssa.Call) bool {
	recv := call.Call.Value
	if !call.Call.IsInvoke() {
		fn := call.Call.StaticCallee()
		if fn == nil || fn.Signature.Recv() == nil {
			return false
		}
		recv = call.Call.Args[0]
	}
	return madeByCaller(recv)
}

// madeByCaller reports whether a value is an object that the function makes which has it.
func madeByCaller(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	switch v := v.(type) {
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		return fn != nil && fn.Signature.Recv() == nil
	case *ssa.Alloc:
		return v.Heap && !spilled(v)
	}
	return false
}

// spilled reports whether a variable is only the place of a parameter.
func spilled(a *ssa.Alloc) bool {
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a {
			if _, ok := s.Val.(*ssa.Parameter); ok {
				return true
			}
		}
	}
	return false
}

// calledMethod is the function or method that a call names, nil for a function value.
func calledMethod(call *ssa.Call) types.Object {
	if call.Call.IsInvoke() {
		return call.Call.Method
	}
	if fn := call.Call.StaticCallee(); fn != nil {
		return fn.Object()
	}
	return nil
}

// flows reports whether a value, or what is made of it, is returned or left in a variable of the function around.
func flows(v ssa.Value, depth int, seen map[ssa.Value]bool) bool {
	if depth == 0 || seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Return:
			return true
		case *ssa.Store:
			if r.Val == v && storedFlows(r.Addr, depth-1, seen) {
				return true
			}
		case *ssa.BinOp:
			continue // a comparison
		case ssa.Value:
			if flows(r, depth-1, seen) {
				return true
			}
		}
	}
	return false
}

// storedFlows follows what is stored: in a variable of the functions around it is theirs, in a list it goes where the
// list goes.
func storedFlows(addr ssa.Value, depth int, seen map[ssa.Value]bool) bool {
	switch a := addr.(type) {
	case *ssa.FreeVar, *ssa.FieldAddr, *ssa.Global:
		return true
	case *ssa.IndexAddr:
		return flows(a.X, depth, seen)
	}
	return flows(addr, depth, seen)
}
