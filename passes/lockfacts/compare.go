package lockfacts

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// markComparisons finds deletes and extends that stand behind a comparison of what the key holds: read, compared, done,
// in separate commands. Who owns the key may change in between.
//
// A delete is behind a comparison if a branch that dominates it compares a value that a GET of the same key returned
// with something that is not a constant.
func markComparisons(u *unit, f *frame, a *activity) {
	for d := range a.events {
		del := &a.events[d]
		if del.Guard != clientmodel.Unchecked || !del.Op.Releases() && !del.Op.Extends() {
			continue
		}
		for _, get := range a.events[:d] {
			if get.Op != clientmodel.Get || !keyterm.Equal(get.Key, del.Key) {
				continue
			}
			if other := comparedBefore(get.Instr, del.Instr); other != nil {
				del.Guard = clientmodel.NotAtomic
				del.Owner = f.value(other)
			}
		}
	}
}

// comparedBefore is what the value read by get is compared with in a branch that dominates use, or nil.
func comparedBefore(get, use ssa.CallInstruction) ssa.Value {
	root := get.Value()
	if root == nil {
		return nil
	}
	for b := use.Block(); b != nil; b = b.Idom() {
		idom := b.Idom()
		if idom == nil || len(idom.Instrs) == 0 {
			continue
		}
		if i, ok := idom.Instrs[len(idom.Instrs)-1].(*ssa.If); ok {
			if other := comparison(i.Cond, root, 0); other != nil {
				return other
			}
		}
	}
	return nil
}

// comparison looks into a condition for a comparison of something that derives from root.
func comparison(cond, root ssa.Value, depth int) ssa.Value {
	if depth > 6 {
		return nil
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return comparison(c.X, root, depth+1)
		}
	case *ssa.Phi:
		for _, e := range c.Edges {
			if other := comparison(e, root, depth+1); other != nil {
				return other
			}
		}
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ || isErrorType(c.X.Type()) {
			return nil
		}
		if derives(c.X, root, 0) && notConst(c.Y) {
			return c.Y
		}
		if derives(c.Y, root, 0) && notConst(c.X) {
			return c.X
		}
		return comparison(c.X, root, depth+1) // ConstantTimeCompare(...) == 1
	case *ssa.Call:
		return comparedByCall(c, root)
	}
	return nil
}

// comparedByCall is the other operand of bytes.Equal, strings.EqualFold, subtle.ConstantTimeCompare and their like.
func comparedByCall(c *ssa.Call, root ssa.Value) ssa.Value {
	if len(c.Call.Args) != 2 {
		return nil
	}
	x, y := c.Call.Args[0], c.Call.Args[1]
	switch {
	case isErrorType(x.Type()):
		return nil
	case derives(x, root, 0) && notConst(y):
		return y
	case derives(y, root, 0) && notConst(x):
		return x
	}
	return nil
}

func notConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return !ok
}

func isErrorType(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// derives reports whether v is computed from root.
func derives(v, root ssa.Value, depth int) bool {
	if v == root {
		return true
	}
	if depth > 8 || isErrorType(v.Type()) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Extract:
		return derives(v.Tuple, root, depth+1)
	case *ssa.Convert:
		return derives(v.X, root, depth+1)
	case *ssa.ChangeType:
		return derives(v.X, root, depth+1)
	case *ssa.UnOp:
		return derives(v.X, root, depth+1)
	case *ssa.Alloc:
		return storedFrom(v, root, depth)
	case *ssa.Call:
		for _, a := range v.Call.Args {
			if derives(a, root, depth+1) {
				return true
			}
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			if e != v && derives(e, root, depth+1) {
				return true
			}
		}
	}
	return false
}

func storedFrom(a *ssa.Alloc, root ssa.Value, depth int) bool {
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a && derives(s.Val, root, depth+1) {
			return true
		}
	}
	return false
}
