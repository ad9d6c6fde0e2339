package lockfacts

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

// rounds are the places at which the walk goes round a loop to the next acquire with the lock still held: `continue`
// statements, or no position where the body of the loop just ends.
func (v *leaver) rounds(reach *lockflow.Reach) []token.Pos {
	var out []token.Pos
	at := v.l.Acquire.Instr.Block()
	for _, head := range v.l.Fn.Blocks {
		if !head.Dominates(at) || v.byState(head, at) {
			continue
		}
		for _, from := range head.Preds {
			if !head.Dominates(from) || !lockflow.CanReach(at, from) && at != from {
				continue
			}
			for _, b := range lastOfRound(from) {
				if b == from && reach.Took(b, head) || b != from && reach.Took(b, from) {
					out = append(out, v.continueAt(b, from, head))
				}
			}
		}
	}
	return out
}

// heads are the heads of the loops around the acquire.
func (v *leaver) heads() map[*ssa.BasicBlock]bool {
	out := map[*ssa.BasicBlock]bool{}
	at := v.l.Acquire.Instr.Block()
	for _, head := range v.l.Fn.Blocks {
		for _, from := range head.Preds {
			if head != at && head.Dominates(at) && head.Dominates(from) && lockflow.CanReach(at, from) {
				out[head] = true
			}
		}
	}
	return out
}

// lastOfRound are the blocks in which the round ends: those before the loop's own step, if it has one.
func lastOfRound(from *ssa.BasicBlock) []*ssa.BasicBlock {
	if from.Comment == "for.post" {
		return from.Preds
	}
	return []*ssa.BasicBlock{from}
}

// byState reports whether it depends on something that is kept whether a round acquires at all: then it may know that the
// lock is held.
func (v *leaver) byState(head, at *ssa.BasicBlock) bool {
	for b := at; b != head && b.Idom() != nil; b = b.Idom() {
		i, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If)
		if ok && b.Idom() != head && readsState(i.Cond, 0) {
			return true
		}
	}
	return false
}

// readsState reports whether a condition is read from memory.
func readsState(x ssa.Value, depth int) bool {
	if depth > 4 {
		return true
	}
	switch x := x.(type) {
	case *ssa.UnOp:
		if x.Op == token.MUL {
			_, local := x.X.(*ssa.Alloc)
			return !local
		}
		return readsState(x.X, depth+1)
	case *ssa.BinOp:
		return readsState(x.X, depth+1) || readsState(x.Y, depth+1)
	case *ssa.Call:
		return len(x.Call.Args) <= 1 && isBasic(x.Type(), boolean)
	}
	return false
}

// continueAt is the `continue` statement by which a block goes to the next round, no position if there is none.
func (v *leaver) continueAt(b, from, head *ssa.BasicBlock) token.Pos {
	syntax := v.l.Fn.Syntax()
	if syntax == nil {
		return token.NoPos
	}
	last := lastPos(b)
	if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && i.Cond.Pos().IsValid() {
		return branchContinue(syntax, i.Cond.Pos(), b.Succs[0] == from || b.Succs[0] == head)
	}
	return innermostContinue(syntax, last)
}

// lastPos is the last place in a block that the source knows.
func lastPos(b *ssa.BasicBlock) token.Pos {
	last := token.NoPos
	for _, i := range b.Instrs {
		if i.Pos() > last {
			if _, phi := i.(*ssa.Phi); !phi {
				last = i.Pos()
			}
		}
	}
	return last
}

// innermostContinue is the statement at the end of the innermost list of statements that holds pos.
func innermostContinue(syntax ast.Node, pos token.Pos) (found token.Pos) {
	size := token.Pos(1 << 40)
	ast.Inspect(syntax, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || pos >= n.End() {
			return n == nil || n.Pos() <= pos
		}
		if list := statements(n); len(list) > 0 && n.End()-n.Pos() < size {
			size, found = n.End()-n.Pos(), token.NoPos
			if c, ok := list[len(list)-1].(*ast.BranchStmt); ok && c.Tok == token.CONTINUE {
				found = c.Pos()
			}
		}
		return true
	})
	return found
}

// statements is the list of statements that a node is, with its end.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// branchContinue is the statement that is all of one side of the `if` whose condition holds pos.
func branchContinue(syntax ast.Node, pos token.Pos, taken bool) (found token.Pos) {
	ast.Inspect(syntax, func(n ast.Node) bool {
		i, ok := n.(*ast.IfStmt)
		if !ok || pos < i.Cond.Pos() || pos >= i.Cond.End() {
			return true
		}
		side := ast.Stmt(i.Body)
		if !taken {
			side = i.Else
		}
		if block, ok := side.(*ast.BlockStmt); ok && len(block.List) > 0 {
			if c, ok := block.List[len(block.List)-1].(*ast.BranchStmt); ok && c.Tok == token.CONTINUE {
				found = c.Pos()
			}
		}
		return true
	})
	return found
}
