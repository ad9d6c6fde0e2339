package lockfacts

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

// OnlyUndone reports whether the key is only deleted, without a look at its owner, where the function then ends in
// failure: it may be a mark that stays when all went well, and no lock.
func (r *Result) OnlyUndone(l *Lock) bool {
	v := &leaver{u: r.u, l: l, stops: map[ssa.Instruction]bool{}}
	for _, e := range l.Releases {
		v.stops[e.Instr] = true
	}
	v.findReleased()
	return v.bare() && !v.succeeds
}

// findReleased looks at how the paths end on which the lock was released.
func (v *leaver) findReleased() {
	v.fails = true
	seen := map[*ssa.BasicBlock]bool{}
	var todo []*ssa.BasicBlock
	for i := range v.stops {
		b := i.Block()
		v.ending(b, indexIn(i)+1, &todo)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[b] {
			seen[b] = true
			v.ending(b, 0, &todo)
		}
	}
}

// ending looks at the rest of a block behind a release, and adds what can follow.
func (v *leaver) ending(b *ssa.BasicBlock, from int, todo *[]*ssa.BasicBlock) {
	for _, i := range b.Instrs[from:] {
		if v.stops[i] && lockflow.CanReach(b, b) {
			v.succeeds = true // another round
		}
		switch i := i.(type) {
		case *ssa.Return:
			yes, no := outcome(i)
			v.succeeds = v.succeeds || yes || !no
			v.fails = v.fails && no
		case ssa.CallInstruction:
			if v.u.noReturn(i) {
				return
			}
		}
	}
	*todo = append(*todo, b.Succs...)
}

// outcome is whether a return certainly says that all went well, or that something did not.
func outcome(ret *ssa.Return) (yes, no bool) {
	yes = true
	for _, x := range ret.Results {
		switch {
		case lockflow.IsError(x.Type()):
			c, isConst := x.(*ssa.Const)
			yes = yes && isConst && c.IsNil()
			no = no || !isConst && isSet(x, ret.Block())
		case isBasic(x.Type(), types.IsBoolean):
			if c, ok := x.(*ssa.Const); ok && c.Value != nil && c.Value.ExactString() == "false" {
				yes, no = false, true
			} else if !ok {
				yes = false
			}
		}
	}
	return yes, no
}

// isSet reports whether an error is certainly not nil where it is returned.
func isSet(x ssa.Value, at *ssa.BasicBlock) bool {
	switch x := x.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.Call:
		switch name := calleeName(&x.Call); name {
		case "fmt.Errorf", "errors.New":
			return true
		}
	case *ssa.UnOp:
		if g, ok := x.X.(*ssa.Global); ok && x.Op == token.MUL {
			return lockflow.IsError(g.Type().(*types.Pointer).Elem())
		}
	}
	return behindError(at, nil, nil)
}
