package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Outline moves conditions, and branches that only return an error, out of the functions of the module in dir into
// functions of their own: `if err != nil || !ok {` becomes `if outlined(err, ok) {`. What can be moved mentions nothing
// but local variables of basic types and errors, and what the package declares. The new functions stand at the ends of
// the files, so that no line moves.
func Outline(dir string) (*Map, error) {
	m, err := load(dir)
	if err != nil {
		return nil, err
	}
	o := &outliner{module: m}
	for _, s := range m.sources {
		if s.isTest() {
			continue
		}
		text := apply(s.text, o.source(s))
		if len(o.added) > 0 {
			text = strings.TrimRight(text, "\n") + "\n\n" + strings.Join(o.added, "\n\n") + "\n"
		}
		o.added = nil
		if err := s.write(text); err != nil {
			return nil, err
		}
	}
	return newMap(), nil
}

type outliner struct {
	module *module
	added  []string // functions for the end of the file
	made   int
}

func (o *outliner) source(s *source) []edit {
	var edits []edit
	ast.Inspect(s.file, func(n ast.Node) bool {
		fn, ok := n.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			return true
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if i, ok := n.(*ast.IfStmt); ok {
				edits = append(edits, o.branch(s, fn, i)...)
			}
			return true
		})
		return false
	})
	return edits
}

// branch moves the whole branch if it can, else its condition.
func (o *outliner) branch(s *source, fn *ast.FuncDecl, i *ast.IfStmt) []edit {
	if s.line(i.Cond.Pos()) != s.line(i.Cond.End()) {
		return nil
	}
	if e := o.returned(s, fn, i); e != nil {
		return e
	}
	vars, ok := o.vars(s, i.Cond)
	if !ok {
		return nil
	}
	name := o.fresh()
	o.added = append(o.added, fmt.Sprintf("func %s(%s) bool { return %s }", name, params(vars), o.text(s, i.Cond)))
	return []edit{{s.offset(i.Cond.Pos()), s.offset(i.Cond.End()), name + "(" + args(vars) + ")"}}
}

// returned moves `if cond { return anError }`.
func (o *outliner) returned(s *source, fn *ast.FuncDecl, i *ast.IfStmt) []edit {
	if i.Init != nil || i.Else != nil || len(i.Body.List) != 1 || inLiteral(fn, i) || !onlyError(s, fn) {
		return nil
	}
	ret, ok := i.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 || !certainError(s, ret.Results[0]) || s.line(ret.Pos()) != s.line(ret.End()) {
		return nil
	}
	vars, ok := o.vars(s, i.Cond)
	more, fine := o.vars(s, ret.Results[0])
	if !ok || !fine {
		return nil
	}
	for _, v := range more {
		if !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	name, result := o.fresh(), o.fresh()
	o.added = append(o.added, fmt.Sprintf("func %s(%s) error {\n\tif %s {\n\t\treturn %s\n\t}\n\treturn nil\n}",
		name, params(vars), o.text(s, i.Cond), o.text(s, ret.Results[0])))
	return []edit{
		{s.offset(i.Cond.Pos()), s.offset(i.Cond.End()), fmt.Sprintf("%s := %s(%s); %s != nil", result, name, args(vars), result)},
		{s.offset(ret.Results[0].Pos()), s.offset(ret.Results[0].End()), result},
	}
}

func (o *outliner) text(s *source, n ast.Node) string {
	return s.text[s.offset(n.Pos()):s.offset(n.End())]
}

func (o *outliner) fresh() string {
	o.made++
	return o.module.fresh(fmt.Sprintf("outlined%d", o.made))
}

// inLiteral reports whether a statement stands in a function literal.
func inLiteral(fn *ast.FuncDecl, at ast.Node) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		found = found || ok && lit.Pos() <= at.Pos() && at.End() <= lit.End()
		return !found
	})
	return found
}

// onlyError reports whether a function returns an error and nothing else.
func onlyError(s *source, fn *ast.FuncDecl) bool {
	r := fn.Type.Results
	return r != nil && r.NumFields() == 1 && isErrorType(s.pkg.TypesInfo.TypeOf(r.List[0].Type))
}

// certainError reports whether an expression is never nil: a sentinel of the package, or an error that is made here.
func certainError(s *source, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		v, ok := s.pkg.TypesInfo.Uses[x].(*types.Var)
		return ok && v.Parent() == s.pkg.Types.Scope()
	case *ast.CallExpr:
		fn, ok := x.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		f, ok := s.pkg.TypesInfo.Uses[fn.Sel].(*types.Func)
		return ok && (f.FullName() == "fmt.Errorf" || f.FullName() == "errors.New")
	}
	return false
}

// vars lists the local variables that an expression mentions; ok is false if it mentions anything that cannot be handed
// on or must not be moved, or no variable at all.
func (o *outliner) vars(s *source, x ast.Expr) (vars []*types.Var, ok bool) {
	ok = true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && harmless(s, n)
		case *ast.FuncLit, *ast.IndexExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.CompositeLit, *ast.SliceExpr:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op == token.NOT
		case *ast.SelectorExpr:
			id, pkg := n.X.(*ast.Ident)
			if pkg {
				_, pkg = s.pkg.TypesInfo.Uses[id].(*types.PkgName)
			}
			ok = ok && pkg
			return false
		case *ast.Ident:
			if v, isVar := s.pkg.TypesInfo.Uses[n].(*types.Var); isVar && v.Parent() != s.pkg.Types.Scope() {
				ok = ok && handy(v.Type())
				if !slices.Contains(vars, v) {
					vars = append(vars, v)
				}
			}
		}
		return ok
	})
	return vars, ok && len(vars) > 0
}

// harmless reports whether a call only asks or makes an error.
func harmless(s *source, c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := s.pkg.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok {
		return false
	}
	switch f.FullName() {
	case "errors.Is", "fmt.Errorf", "errors.New":
		return true
	}
	return false
}

// handy reports whether a type can be written down anywhere.
func handy(t types.Type) bool {
	if isErrorType(t) {
		return true
	}
	_, basic := t.(*types.Basic)
	return basic
}

func isErrorType(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func params(vars []*types.Var) string {
	var out []string
	for _, v := range vars {
		out = append(out, v.Name()+" "+v.Type().String())
	}
	return strings.Join(out, ", ")
}

func args(vars []*types.Var) string {
	var out []string
	for _, v := range vars {
		out = append(out, v.Name())
	}
	return strings.Join(out, ", ")
}
