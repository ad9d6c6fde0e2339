package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// extraction is a method that becomes a function of the new package. The function is given the fields that the method
// reads; a method that calls it stays.
type extraction struct {
	unit   *unit
	name   string // of the function
	fields []*extracted
	refs   []*unit
}

// extracted is a field that becomes a parameter.
type extracted struct {
	field *types.Var
	expr  ast.Expr // its type
	param string
	uses  []*ast.SelectorExpr
}

// extraction plans how a method becomes a function, nil if it cannot: it uses its receiver for something else than
// reading fields, has parameters without names, or bears a directive.
func (g *graph) extraction(u *unit, m *module) *extraction {
	fn := u.fn()
	if fn == nil || u.owner == nil || fn.Body == nil || !named(fn.Type.Params) || hasDirective(fn) {
		return nil
	}
	x := &extraction{unit: u}
	if !g.readsOnly(x) || !g.typesAtHand(x, m) || !sameTypeParams(u) {
		return nil
	}
	g.connectExtraction(x)
	if slices.Contains(x.refs, u.owner) {
		return nil
	}
	x.name = m.fresh(exported(ownerName(fn)) + exported(fn.Name.Name))
	return x
}

func hasDirective(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//leasevet:")
	})
}

// named says whether all parameters can be handed on.
func named(params *ast.FieldList) bool {
	for _, p := range params.List {
		if len(p.Names) == 0 || slices.ContainsFunc(p.Names, func(id *ast.Ident) bool { return id.Name == "_" }) {
			return false
		}
	}
	return true
}

// receiver is the receiver's name, nil if it has none.
func receiver(fn *ast.FuncDecl) *ast.Ident {
	if names := fn.Recv.List[0].Names; len(names) == 1 {
		return names[0]
	}
	return nil
}

// ownerName is the name of the receiver's type.
func ownerName(fn *ast.FuncDecl) string {
	name := ""
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

// readsOnly finds the fields that the body reads, and reports whether it does nothing else with the receiver.
func (g *graph) readsOnly(x *extraction) bool {
	fn, info := x.unit.fn(), x.unit.src.pkg.TypesInfo
	recv := receiver(fn)
	if recv == nil {
		return false
	}
	good, reads := true, map[*ast.Ident]bool{}
	var above []ast.Node
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && info.Uses[id] == info.Defs[recv] {
				reads[id] = true
				good = good && x.read(sel, info, above)
			}
		}
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == info.Defs[recv] && !reads[id] {
			good = false
		}
		above = append(above, n)
		return true
	})
	return good
}

// read records one use of a field, if a copy of the field will do for it.
func (x *extraction) read(sel *ast.SelectorExpr, info *types.Info, above []ast.Node) bool {
	s := info.Selections[sel]
	if s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 || written(sel, above) || addressed(sel, info, above) {
		return false
	}
	field := s.Obj().(*types.Var)
	for _, f := range x.fields {
		if f.field == field {
			f.uses = append(f.uses, sel)
			return true
		}
	}
	x.fields = append(x.fields, &extracted{field: field, uses: []*ast.SelectorExpr{sel}})
	return true
}

// written says whether a selector is assigned to, counted up, or has its address taken.
func written(sel ast.Expr, above []ast.Node) bool {
	if len(above) == 0 {
		return false
	}
	switch n := above[len(above)-1].(type) {
	case *ast.AssignStmt:
		return slices.Contains(n.Lhs, sel)
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.AND
	case *ast.RangeStmt:
		return n.Key == sel || n.Value == sel
	}
	return false
}

// addressed says whether a field that is a struct or an array is used for more than being copied as a whole.
func addressed(sel ast.Expr, info *types.Info, above []ast.Node) bool {
	switch info.TypeOf(sel).Underlying().(type) {
	case *types.Struct, *types.Array:
	default:
		return false
	}
	if len(above) == 0 {
		return false
	}
	outer, ok := above[len(above)-1].(*ast.SelectorExpr)
	if !ok {
		_, index := above[len(above)-1].(*ast.IndexExpr)
		return index
	}
	s := info.Selections[outer]
	if s == nil || s.Kind() != types.MethodVal {
		return true
	}
	recv := s.Obj().(*types.Func).Signature().Recv()
	_, pointer := recv.Type().(*types.Pointer)
	return pointer
}

// typesAtHand finds the fields' types in the source, and names for the parameters. The types must be written in the
// method's own file, which has the imports for them.
func (g *graph) typesAtHand(x *extraction, m *module) bool {
	u := x.unit
	if u.owner.src != u.src {
		return false
	}
	for _, f := range x.fields {
		f.expr = typeExpr(u.owner, f.field)
		if f.expr == nil {
			return false
		}
		f.param = x.param(receiver(u.fn()).Name+exported(f.field.Name()), m)
	}
	return true
}

// param is a name for a parameter that is like no other in the module, or in the function.
func (x *extraction) param(name string, m *module) string {
	for m.names[name] || slices.ContainsFunc(x.fields, func(f *extracted) bool { return f.param == name }) {
		name += "X"
	}
	return name
}

// typeExpr is how the type of a field is written.
func typeExpr(owner *unit, field *types.Var) ast.Expr {
	var expr ast.Expr
	ast.Inspect(owner.decl, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		at := slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Pos() == field.Pos() })
		if at || len(f.Names) == 0 && f.Type.Pos() <= field.Pos() && field.Pos() < f.Type.End() {
			expr = f.Type
		}
		return expr == nil
	})
	return expr
}

// sameTypeParams says whether a method calls the type parameters what its type calls them.
func sameTypeParams(u *unit) bool {
	args := receiverArgs(u.fn())
	params := typeParams(u)
	if params == nil {
		return len(args) == 0
	}
	var names []string
	for _, f := range params.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return slices.Equal(args, names)
}

// receiverArgs are the type parameters as the receiver names them.
func receiverArgs(fn *ast.FuncDecl) []string {
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	var args []ast.Expr
	switch t := t.(type) {
	case *ast.IndexExpr:
		args = []ast.Expr{t.Index}
	case *ast.IndexListExpr:
		args = t.Indices
	}
	var names []string
	for _, a := range args {
		if id, ok := a.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}

// typeParams is the list of type parameters of a method's type, nil if there are none.
func typeParams(u *unit) *ast.FieldList {
	name := ownerName(u.fn())
	for _, spec := range u.owner.decl.(*ast.GenDecl).Specs {
		if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
			return t.TypeParams
		}
	}
	return nil
}

// connectExtraction records what the function will mention: what the method does, but for its receiver and the fields
// that become parameters.
func (g *graph) connectExtraction(x *extraction) {
	fn := x.unit.fn()
	probe := &unit{src: x.unit.src, decl: x.unit.decl}
	skip := map[*ast.Ident]bool{}
	for _, f := range x.fields {
		g.connect(probe, f.expr)
		for _, use := range f.uses {
			skip[use.Sel] = true
		}
	}
	if params := typeParams(x.unit); params != nil {
		g.connect(probe, params)
	}
	info := x.unit.src.pkg.TypesInfo
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FieldList:
			return n != fn.Recv
		case *ast.Ident:
			if !skip[n] {
				g.mention(probe, info.Uses[n])
			}
		case *ast.CompositeLit:
			g.mentionFields(probe, info.TypeOf(n), n)
		}
		return true
	})
	x.refs = slices.DeleteFunc(probe.refs, func(r *unit) bool { return r == x.unit })
}
