package lockfacts

import (
	"go/ast"
	"go/token"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// placeOf is an instruction's place.
func (u *unit) placeOf(i ssa.Instruction) Site {
	s := Site{Function: i.Parent().String(), Package: u.pass.Pkg.Path()}
	if c, ok := i.(ssa.CallInstruction); ok {
		s.Pos = u.pos(u.callPos(c))
		return s
	}
	s.Pos = u.pos(i.Pos())
	if !s.IsValid() { // a return that nobody wrote: the end of the function
		if body := i.Parent().Syntax(); body != nil {
			s.Pos = u.pos(body.End() - 1)
		}
	}
	return s
}

// condSite is the place of a condition.
func (u *unit) condSite(i *ssa.If) Site {
	s, ok := u.conds[i]
	if !ok {
		if u.conds == nil {
			u.conds = map[*ssa.If]Site{}
		}
		s = u.findCond(i)
		u.conds[i] = s
	}
	return s
}

func (u *unit) findCond(i *ssa.If) Site {
	s := Site{Function: i.Parent().String(), Package: u.pass.Pkg.Path()}
	if p := i.Cond.Pos(); p.IsValid() && sameBlock(i) {
		s.Pos = u.pos(p)
		return s
	}
	s.Pos = u.pos(u.condPos(i))
	if !s.IsValid() {
		s.Pos = u.pos(i.Cond.Pos())
	}
	return s
}

// sameBlock reports whether a condition is computed where it is asked.
func sameBlock(i *ssa.If) bool {
	v, ok := i.Cond.(ssa.Instruction)
	if !ok || v.Block() != i.Block() {
		return false
	}
	_, compare := v.(*ssa.BinOp)
	return compare
}

// condPos finds the condition in the text: that of the if or case around the first statement of a side.
func (u *unit) condPos(i *ssa.If) token.Pos {
	for _, b := range i.Block().Succs {
		inLoop := b.Comment == "for.body"
		if b.Comment != "if.then" && b.Comment != "switch.body" && b.Comment != "if.else" && !inLoop && len(b.Preds) != 1 {
			continue
		}
		for _, x := range b.Instrs {
			p := x.Pos()
			if c, ok := x.(ssa.CallInstruction); ok {
				p = u.callPos(c)
			}
			if !p.IsValid() {
				continue
			}
			if cond := u.ifAround(p, inLoop); cond.IsValid() {
				return cond
			}
			break
		}
	}
	return token.NoPos
}

// ifAround is the condition of the innermost if or case, or for if it is one, whose body has a place.
func (u *unit) ifAround(p token.Pos, inLoop bool) token.Pos {
	for _, n := range u.enclosing(p) {
		switch n := n.(type) {
		case *ast.ForStmt:
			if inLoop && n.Cond != nil && n.Body.Pos() <= p && p < n.Body.End() {
				return n.Cond.Pos()
			}
		case *ast.IfStmt:
			if n.Body.Pos() <= p && p < n.Body.End() || n.Else != nil && n.Else.Pos() <= p && p < n.Else.End() {
				return n.Cond.Pos()
			}
		case *ast.CaseClause:
			if n.Colon <= p && len(n.List) > 0 {
				return n.List[0].Pos()
			}
		case *ast.FuncLit, *ast.FuncDecl:
			return token.NoPos
		}
	}
	return token.NoPos
}

// enclosing lists the nodes around a place, innermost first, up to its declaration.
func (u *unit) enclosing(p token.Pos) []ast.Node {
	f := u.fileAt(p)
	if f == nil {
		return nil
	}
	n := sort.Search(len(f.Decls), func(i int) bool { return f.Decls[i].End() > p })
	if n == len(f.Decls) {
		return nil
	}
	var path []ast.Node
	ast.Inspect(f.Decls[n], func(x ast.Node) bool {
		if x == nil || p < x.Pos() || p >= x.End() {
			return false
		}
		path = append(path, x)
		return true
	})
	slices.Reverse(path)
	return path
}

func (u *unit) fileAt(p token.Pos) *ast.File {
	for _, f := range u.pass.Files {
		if f.FileStart <= p && p < f.FileEnd {
			return f
		}
	}
	return nil
}

// loopSite is the for around an instruction, not valid if there is none.
func (u *unit) loopSite(i ssa.Instruction) Site {
	p := i.Pos()
	for _, n := range u.enclosing(p) {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return Site{Pos: u.pos(n.Pos()), Function: i.Parent().String(), Package: u.pass.Pkg.Path()}
		case *ast.FuncLit, *ast.FuncDecl:
			return Site{}
		}
	}
	return Site{}
}

// meant reports whether the program says on a branch that it goes on without the lock: by a comment, by a log line, or by
// a mutex that takes the lock's place.
func (u *unit) meant(fn *ssa.Function, i *ssa.If, outage, taken *scenarioRun, says func(string) bool) bool {
	line := u.condSite(i).Line
	for _, b := range fn.Blocks {
		for _, x := range b.Instrs {
			c, ok := x.(*ssa.Call)
			if !ok || !outage.Has(x) || taken.Has(x) {
				continue
			}
			if logs(&c.Call) && saysWithout(constantText(c)) || calleeName(&c.Call) == "(*sync.Mutex).Lock" {
				return true
			}
		}
	}
	return u.commented(u.condPos(i), line, says)
}

// commented reports whether a comment in the branch says so, or one above the condition speaks of going on.
func (u *unit) commented(p token.Pos, line int, says func(string) bool) bool {
	for _, n := range u.enclosing(p) {
		s, ok := n.(*ast.IfStmt)
		if !ok {
			continue
		}
		return u.commentedIn(s, line, says)
	}
	return false
}

// commentedIn looks at the comments from the line above a branch to its end.
func (u *unit) commentedIn(s *ast.IfStmt, line int, says func(string) bool) bool {
	f := u.fileAt(s.Pos())
	first := sort.Search(len(f.Comments), func(i int) bool { return u.pos(f.Comments[i].End()).Line >= line-1 })
	for _, g := range f.Comments[first:] {
		if g.Pos() >= s.Body.End() {
			break
		}
		at := u.pos(g.End()).Line
		if s.Body.Pos() <= g.Pos() && at > line && says(g.Text()) || at == line-1 && saysWithout(g.Text()) {
			return true
		}
	}
	return false
}

// anyText is for a branch in which any comment explains what is done.
func anyText(string) bool { return true }

// constantText is the constant text among a call's arguments.
func constantText(c *ssa.Call) string {
	var out []string
	for _, a := range c.Call.Args {
		if k, ok := a.(*ssa.Const); ok && k.Value != nil && isString(k.Type()) {
			out = append(out, k.Value.ExactString())
		}
	}
	return strings.Join(out, " ")
}

// saysWithout reports whether a text speaks of working without the lock.
func saysWithout(text string) bool {
	text = strings.ToLower(text)
	for _, w := range []string{"without", "going on", "go on", "proceed", "continu", "anyway", "unlocked", "unprotected", "fail open",
		"fail-open", "best effort", "best-effort", "degrade", "not locked", "no lock", "safe to run"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
