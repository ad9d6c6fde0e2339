package driver

import (
	"go/ast"
	"go/types"
)

// prune takes out of an ill-typed package what has no types: function bodies and initial values with an error, or with
// something in them that is of invalid type. What is left can be analysed exactly, so that one broken function does
// not hide the locks of the others. A body that is gone looks like a function that is written in assembly.
func (c *checked) prune() {
	if len(c.problems) == 0 {
		return
	}
	p := &pruner{c: c, invalid: map[types.Type]bool{types.Typ[types.Invalid]: true}}
	for _, f := range c.files {
		for _, d := range f.Decls {
			p.decl(d)
		}
	}
	c.info.InitOrder = keep(c.info.InitOrder, func(i *types.Initializer) bool { return !p.broken(i.Rhs) })
}

type pruner struct {
	c       *checked
	invalid map[types.Type]bool // what is known about types so far; also ends recursion
}

func (p *pruner) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil && (p.broken(d.Body) || p.brokenType(p.typeOf(d.Name))) {
			d.Body = nil
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				p.values(v)
			}
		}
	}
}

func (p *pruner) values(v *ast.ValueSpec) {
	for _, e := range v.Values {
		if p.broken(e) {
			v.Values = nil
			return
		}
	}
}

// broken reports whether a type error lies in n, or something in n has no valid type.
func (p *pruner) broken(n ast.Node) bool {
	for _, e := range p.c.errs {
		if n.Pos() <= e.Pos && e.Pos < n.End() {
			return true
		}
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || p.brokenNode(n)
		return !found
	})
	return found
}

func (p *pruner) brokenNode(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BadExpr, *ast.BadStmt, *ast.BadDecl:
		return true
	case *ast.Ident:
		return p.unresolved(n) || p.brokenType(p.typeOf(n))
	case ast.Expr:
		tv, ok := p.c.info.Types[n]
		return ok && p.brokenType(tv.Type)
	}
	return false
}

// unresolved reports whether the type checker gave up on id without a word, as it does for what would come from a
// package that could not be imported.
func (p *pruner) unresolved(id *ast.Ident) bool {
	_, def := p.c.info.Defs[id]
	_, use := p.c.info.Uses[id]
	return !def && !use && id.Name != "_"
}

// typeOf is the type of what an identifier stands for, nil if it stands for nothing that has one.
func (p *pruner) typeOf(id *ast.Ident) types.Type {
	switch obj := p.c.info.ObjectOf(id).(type) {
	case *types.Const, *types.Var, *types.TypeName, *types.Func:
		return obj.Type()
	}
	return nil
}

// brokenType reports whether some part of t is invalid. While t itself is being looked at, it counts as valid.
func (p *pruner) brokenType(t types.Type) bool {
	if t == nil {
		return false
	}
	if known, ok := p.invalid[t]; ok {
		return known
	}
	p.invalid[t] = false
	p.invalid[t] = p.brokenParts(t)
	return p.invalid[t]
}

func (p *pruner) brokenParts(t types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return p.brokenType(types.Unalias(t))
	case *types.Named:
		return p.brokenType(t.Underlying()) || p.brokenArgs(t.TypeArgs())
	case *types.Map:
		return p.brokenType(t.Key()) || p.brokenType(t.Elem())
	case *types.Signature:
		return p.brokenType(t.Params()) || p.brokenType(t.Results())
	case *types.Tuple:
		return p.anyBroken(t.Len(), func(i int) types.Type { return t.At(i).Type() })
	case *types.Struct:
		return p.anyBroken(t.NumFields(), func(i int) types.Type { return t.Field(i).Type() })
	case *types.Interface:
		return p.anyBroken(t.NumMethods(), func(i int) types.Type { return t.Method(i).Type() })
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return p.brokenType(t.Elem())
	}
	return false
}

func (p *pruner) brokenArgs(list *types.TypeList) bool {
	return p.anyBroken(list.Len(), list.At)
}

func (p *pruner) anyBroken(n int, at func(int) types.Type) bool {
	for i := range n {
		if p.brokenType(at(i)) {
			return true
		}
	}
	return false
}

// keep is the elements for which ok holds.
func keep[T any](list []T, ok func(T) bool) []T {
	var kept []T
	for _, e := range list {
		if ok(e) {
			kept = append(kept, e)
		}
	}
	return kept
}
