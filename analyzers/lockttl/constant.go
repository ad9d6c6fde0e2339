package lockttl

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// constantAt is the named constant or package-level variable that a TTL is given as at a place of this package: the TTL
// on its own, not as a part of a computation. It is nil where a literal, or anything else, is written there.
func (c *checker) constantAt(at lockfacts.Site, ttl keyterm.Term) types.Object {
	for _, file := range c.Pass.Files {
		if c.Pass.Fset.Position(file.FileStart).Filename != at.File {
			continue
		}
		for _, e := range c.operandsAt(file, at.Pos) {
			if obj := c.named(e, ttl); obj != nil {
				return obj
			}
		}
	}
	return nil
}

// calledName is where the name of the called function stands.
func calledName(call *ast.CallExpr) token.Pos {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return sel.Sel.Pos()
	}
	return call.Fun.Pos()
}

// operandsAt are the expressions that can be meant by a place: the arguments of the call whose name or parenthesis stands
// there, the elements of struct literals among them, or what the field there is set to.
func (c *checker) operandsAt(file *ast.File, at keyterm.Pos) []ast.Expr {
	var out []ast.Expr
	is := func(p token.Pos) bool {
		x := c.Pass.Fset.Position(p)
		return x.Line == at.Line && x.Column == at.Column
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if is(n.Lparen) || is(calledName(n)) {
				out = elements(n.Args)
			}
		case *ast.KeyValueExpr:
			if is(n.Colon) || is(n.Pos()) {
				out = []ast.Expr{n.Value}
			}
		case *ast.AssignStmt:
			if is(n.TokPos) || is(n.Pos()) {
				out = n.Rhs
			}
		}
		return out == nil
	})
	return out
}

// elements are expressions, struct literals replaced by what they are made of.
func elements(list []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, e := range list {
		if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = u.X
		}
		switch e := e.(type) {
		case *ast.CompositeLit:
			out = append(out, elements(e.Elts)...)
		case *ast.KeyValueExpr:
			out = append(out, elements([]ast.Expr{e.Value})...)
		default:
			out = append(out, e)
		}
	}
	return out
}

// named is the constant or variable that an expression is, through conversions, if its value can be the TTL.
func (c *checker) named(e ast.Expr, ttl keyterm.Term) types.Object {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return c.declared(x, ttl)
	case *ast.SelectorExpr:
		return c.declared(x.Sel, ttl)
	case *ast.CallExpr:
		if tv, ok := c.Pass.TypesInfo.Types[x.Fun]; ok && tv.IsType() && len(x.Args) == 1 {
			return c.named(x.Args[0], ttl)
		}
	}
	return nil
}

func (c *checker) declared(id *ast.Ident, ttl keyterm.Term) types.Object {
	switch obj := c.Pass.TypesInfo.Uses[id].(type) {
	case *types.Const:
		if obj.Val().ExactString() == ttl.Strip().Text {
			return obj
		}
	case *types.Var:
		if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() && isNumber(obj.Type()) {
			return obj
		}
	}
	return nil
}

// isNumber reports whether a TTL can have the type.
func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// siteOf is where an object is declared.
func (c *checker) siteOf(obj types.Object) lockfacts.Site {
	p := c.Pass.Fset.Position(obj.Pos())
	return lockfacts.Site{Pos: keyterm.Pos{File: p.Filename, Line: p.Line, Column: p.Column}, Package: obj.Pkg().Path()}
}
