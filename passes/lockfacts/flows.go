package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxFlow bounds how far a value is followed to the results of its function.
const maxFlow = 12

// sameWork reports whether the caller does the called function's work and no other: it has the called function's name,
// or it hands on what that one returned. A call whose outcome is only logged is a step of some other work, its undoing
// as a rule.
func sameWork(fn *ssa.Function, call *ssa.Call) bool {
	if call.Call.Signature().Results().Len() == 0 {
		return true
	}
	if obj := calledMethod(call); obj != nil && obj.Name() == outermost(fn).Name() {
		return true
	}
	return flows(call, maxFlow, map[ssa.Value]bool{})
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
