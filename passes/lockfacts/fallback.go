package lockfacts

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// A number that is replaced where it is zero, `if opts.TTL == 0 { opts.TTL = time.Minute }`, is one of the two, and which
// one shows as soon as a caller is known. It is written as arithmetic: was Or is.

// Or is the operator of a number that another one takes the place of where it is zero.
const Or = "or"

func (f *frame) or(was, is keyterm.Term, pos token.Pos) keyterm.Term {
	return f.at(keyterm.Term{Op: keyterm.Arith, Text: Or, Args: []keyterm.Term{was, is}}, pos).Norm()
}

// phiOr reads `if x == 0 { x = d }`.
func (f *frame) phiOr(v *ssa.Phi) (keyterm.Term, bool) {
	if len(v.Edges) != 2 || !isInteger(v.Type()) {
		return keyterm.Term{}, false
	}
	for was := range v.Edges {
		asks, sets := v.Block().Preds[was], v.Block().Preds[1-was]
		if len(sets.Preds) == 1 && sets.Preds[0] == asks && ifZero(asks, sets, func(x ssa.Value) bool { return x == v.Edges[was] }) {
			return f.or(f.value(v.Edges[was]), f.literal(v.Edges[1-was], v.Pos()), v.Pos()), true
		}
	}
	return keyterm.Term{}, false
}

// setIfZero reports whether a field of a is only stored where it was zero.
func setIfZero(a *ssa.Alloc, s *ssa.Store) bool {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok || len(s.Block().Preds) != 1 {
		return false
	}
	return ifZero(s.Block().Preds[0], s.Block(), func(x ssa.Value) bool {
		load, ok := x.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return false
		}
		from, ok := load.X.(*ssa.FieldAddr)
		return ok && from.X == a && from.Field == fa.Field
	})
}

// ifZero reports whether a block goes on to next exactly if a number that same recognises is zero, or not above it.
func ifZero(b, next *ssa.BasicBlock, same func(ssa.Value) bool) bool {
	i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := i.Cond.(*ssa.BinOp)
	if !ok || !same(cond.X) || !isZeroConst(cond.Y) {
		return false
	}
	switch cond.Op {
	case token.EQL, token.LEQ:
		return b.Succs[0] == next
	case token.NEQ, token.GTR:
		return b.Succs[1] == next
	}
	return false
}

func isZeroConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && isInteger(c.Type()) && c.Int64() == 0
}

// firstNonZero reads cmp.Or of two numbers.
func (f *frame) firstNonZero(c *ssa.Call) (keyterm.Term, bool) {
	if b, ok := c.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return keyterm.Term{}, false
	}
	args := operands(c, 0)
	if len(args) != 2 || args[0] == nil || args[1] == nil {
		return keyterm.Term{}, false
	}
	return f.or(f.value(args[0]), f.literal(args[1], c.Pos()), c.Pos()), true
}

// onlyIfZero is setIfZero for all stores of a field.
func (f *frame) onlyIfZero(a *ssa.Alloc, field int) bool {
	for _, r := range *a.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fa.Field != field {
			continue
		}
		for _, use := range *fa.Referrers() {
			if s, ok := use.(*ssa.Store); ok && s.Addr == fa && !setIfZero(a, s) {
				return false
			}
		}
	}
	return true
}
