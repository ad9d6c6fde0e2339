package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// unit is a declaration of a package: what moves as a whole.
type unit struct {
	src     *source
	decl    ast.Decl
	owner   *unit   // of a method: its type
	methods []*unit // of a type
	refs    []*unit // what it mentions
	reaches []*unit // types of whose unexported fields it knows
}

// fn is the function that is declared, if it is one.
func (u *unit) fn() *ast.FuncDecl {
	fn, _ := u.decl.(*ast.FuncDecl)
	return fn
}

// start is where the declaration begins, its comment included.
func (u *unit) start() token.Pos {
	doc := (*ast.CommentGroup)(nil)
	switch d := u.decl.(type) {
	case *ast.FuncDecl:
		doc = d.Doc
	case *ast.GenDecl:
		doc = d.Doc
	}
	if doc != nil {
		return doc.Pos()
	}
	return u.decl.Pos()
}

func (u *unit) first() int { return u.src.line(u.start()) }
func (u *unit) last() int  { return u.src.line(u.decl.End()) }

// isFixed says that a declaration cannot go elsewhere: go calls it, a test declares it, or a file belongs to it.
func (u *unit) isFixed() bool {
	if u.src.isTest() {
		return true
	}
	if fn := u.fn(); fn != nil {
		return fn.Recv == nil && (fn.Name.Name == "main" || fn.Name.Name == "init")
	}
	text := u.src.text[u.src.offset(u.start()):u.src.offset(u.decl.End())]
	return strings.Contains(text, "//go:")
}

// graph is the declarations of one package.
type graph struct {
	module  *module
	path    string
	sources []*source
	units   []*unit
	byPos   map[string][]*unit // by file
}

// graphs are the packages of the module, in the order of their files.
func graphs(m *module) []*graph {
	byPath := map[string]*graph{}
	var all []*graph
	for _, s := range m.sources {
		path := strings.TrimSuffix(s.pkg.PkgPath, "_test")
		if s.pkg.PkgPath != path && strings.HasSuffix(s.pkg.Name, "_test") {
			continue // an external test is a package of its own, and has no helpers
		}
		g := byPath[s.pkg.PkgPath]
		if g == nil {
			g = &graph{module: m, path: s.pkg.PkgPath, byPos: map[string][]*unit{}}
			byPath[s.pkg.PkgPath] = g
			all = append(all, g)
		}
		g.sources = append(g.sources, s)
	}
	for _, g := range all {
		g.build()
	}
	return all
}

func (g *graph) build() {
	for _, s := range g.sources {
		for _, d := range s.file.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
				continue
			}
			u := &unit{src: s, decl: d}
			g.units = append(g.units, u)
			g.byPos[s.path] = append(g.byPos[s.path], u)
		}
	}
	for _, u := range g.units {
		g.adopt(u)
	}
	for _, u := range g.units {
		g.connect(u, u.decl)
	}
}

// adopt tells a method's type of the method.
func (g *graph) adopt(u *unit) {
	fn := u.fn()
	if fn == nil || fn.Recv == nil {
		return
	}
	recv := fn.Recv.List[0].Type
	ast.Inspect(recv, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || u.owner != nil {
			return true
		}
		if owner := g.at(u.src.pkg.TypesInfo.Uses[id]); owner != nil {
			u.owner = owner
			owner.methods = append(owner.methods, u)
		}
		return true
	})
}

// at is the declaration that an object of this package is part of.
func (g *graph) at(obj types.Object) *unit {
	id, ok := g.module.id(obj)
	if !ok {
		return nil
	}
	for _, u := range g.byPos[id.file] {
		if u.src.offset(u.decl.Pos()) <= id.offset && id.offset < u.src.offset(u.decl.End()) {
			return u
		}
	}
	return nil
}

// connect records what a node of u mentions.
func (g *graph) connect(u *unit, n ast.Node) {
	info := u.src.pkg.TypesInfo
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			g.mention(u, info.Uses[n])
		case *ast.CompositeLit:
			g.mentionFields(u, info.TypeOf(n), n)
		}
		return true
	})
}

func (g *graph) mention(u *unit, obj types.Object) {
	if t, ok := obj.(*types.TypeName); ok && isTypeParam(t) {
		return // belongs to the declaration around it
	}
	to := g.at(obj)
	if to == nil || to == u {
		return
	}
	u.refs = appendOnce(u.refs, to)
	if v, ok := obj.(*types.Var); ok && v.IsField() && !v.Exported() {
		u.reaches = appendOnce(u.reaches, to)
	}
}

// mentionFields is for literals without names of fields: they know all of them.
func (g *graph) mentionFields(u *unit, t types.Type, lit *ast.CompositeLit) {
	st, ok := t.Underlying().(*types.Struct)
	if !ok || len(lit.Elts) == 0 {
		return
	}
	if _, named := lit.Elts[0].(*ast.KeyValueExpr); named {
		return
	}
	for f := range st.Fields() {
		g.mention(u, f)
	}
}

func isTypeParam(t *types.TypeName) bool {
	_, ok := t.Type().(*types.TypeParam)
	return ok
}

func appendOnce(units []*unit, u *unit) []*unit {
	if slices.Contains(units, u) {
		return units
	}
	return append(units, u)
}

// touchesRedis says whether a function calls a client of Redis, or a lock library on top of one.
func (g *graph) touchesRedis(u *unit) bool {
	fn := u.fn()
	if fn == nil || u.isFixed() {
		return false
	}
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && g.module.isRedis(calleePackage(u.src, call)) {
			found = true
		}
		return !found
	})
	return found
}

// isRedis goes by the import path, which needs no list of clients.
func (m *module) isRedis(path string) bool {
	if slices.ContainsFunc(m.roots, func(p *packages.Package) bool { return p.PkgPath == path }) {
		return false
	}
	return slices.ContainsFunc([]string{"redis", "redsync", "rueidis"}, func(word string) bool {
		return strings.Contains(path, word)
	})
}
