package lockflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// What SSA leaves to whoever reads it, and several packages ask.

// IsError reports whether a type is the predeclared error.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// InLoop reports whether control can get from a block back to it.
func InLoop(b *ssa.BasicBlock) bool { return CanReach(b, b) }

// CanReach reports whether control can get from a to b by at least one edge.
func CanReach(a, b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	todo := []*ssa.BasicBlock{a}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range x.Succs {
			if s == b {
				return true
			}
			if !seen[s] {
				seen[s] = true
				todo = append(todo, s)
			}
		}
	}
	return false
}

// Outermost is the declared function that a function literal stands in, or the function itself.
func Outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// Binding is what the function around a literal gives it as a captured variable, or nil.
func Binding(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			mc, ok := i.(*ssa.MakeClosure)
			if !ok || mc.Fn != fn {
				continue
			}
			for n, fv := range fn.FreeVars {
				if fv == v && n < len(mc.Bindings) {
					return mc.Bindings[n]
				}
			}
		}
	}
	return nil
}

// OnlyStore is the one store to a local variable in its function, nil if there are more or none.
func OnlyStore(a *ssa.Alloc) *ssa.Store {
	var found *ssa.Store
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a {
			if found != nil {
				return nil
			}
			found = s
		}
	}
	return found
}
