package lockfacts

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// repeated is what a loop writes: text in the order of a map if the loop is over one, else unknown.
func (f *frame) repeated(b *ssa.BasicBlock, pos token.Pos) keyterm.Term {
	for d := b.Idom(); d != nil; d = d.Idom() {
		if overMap(d) && lockflow.CanReach(b, d) {
			return f.mapOrder(pos)
		}
	}
	return keyterm.Term{}
}

func (f *frame) mapOrder(pos token.Pos) keyterm.Term {
	return f.at(keyterm.Term{Op: keyterm.Fresh, Text: keyterm.Order}, pos)
}

// overMap reports whether a block is the head of a loop over a map.
func overMap(b *ssa.BasicBlock) bool {
	for _, i := range b.Instrs {
		n, ok := i.(*ssa.Next)
		if !ok || n.IsString {
			continue
		}
		if x := iterated(n); x != nil {
			_, isMap := x.Type().Underlying().(*types.Map)
			return isMap
		}
	}
	return false
}

// collected sees a variable that grows with every round of a loop over a map, and is not sorted afterwards.
func (f *frame) collected(v *ssa.Phi) (keyterm.Term, bool) {
	if !overMap(v.Block()) {
		return keyterm.Term{}, false
	}
	var grown ssa.Value
	for _, e := range v.Edges {
		if growsFrom(e, v) {
			grown = e
		}
	}
	if grown == nil || rearranged(v) || rearranged(grown) {
		return keyterm.Term{}, false
	}
	return f.mapOrder(grown.Pos()), true
}

// growsFrom reports whether e is v with something appended.
func growsFrom(e, v ssa.Value) bool {
	switch e := e.(type) {
	case *ssa.BinOp:
		return e.Op == token.ADD && isString(e.Type()) && (e.X == v || growsFrom(e.X, v))
	case *ssa.Call:
		return appends(e) && (e.Call.Args[0] == v || growsFrom(e.Call.Args[0], v))
	}
	return false
}

func appends(c *ssa.Call) bool {
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append" && len(c.Call.Args) > 0
}

// rearranged reports whether a list is handed to something that may sort it.
func rearranged(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Phi, *ssa.BinOp, *ssa.Return, *ssa.DebugRef, *ssa.Convert:
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok && b != nil || isString(v.Type()) {
				continue
			}
			if calleeName(&r.Call) != "strings.Join" {
				return true
			}
		default:
			if !isString(v.Type()) {
				return true
			}
		}
	}
	return false
}
