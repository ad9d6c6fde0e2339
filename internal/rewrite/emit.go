package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// side is where a piece of a source is going: into a parcel, or nowhere (nil).
type side = *parcel

// emit writes the new files, and the old ones without what has moved.
func (mv *mover) emit() (*Map, error) {
	out := newMap()
	for _, s := range mv.module.sources {
		p := mv.parcelOf(s)
		stays := mv.stays(s, p)
		if err := mv.store(out, s, s.name, stays); err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		if moves := mv.moves(s, p); moves != nil {
			if err := mv.store(out, s, p.file(s), moves); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// parcelOf is what leaves the package of s, if anything does.
func (mv *mover) parcelOf(s *source) *parcel {
	for _, p := range mv.parcels {
		if slices.Contains(p.graph.sources, s) {
			return p
		}
	}
	return nil
}

// line is a line of a new file; from is 0 for one that was not in the old file.
type line struct {
	text string
	from int
}

// store writes a file and records where its lines come from.
func (mv *mover) store(out *Map, s *source, name string, lines []line) error {
	if lines == nil {
		return nil
	}
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(l.text)
		if i < len(lines)-1 {
			b.WriteByte('\n')
		}
		if l.from > 0 {
			out.lines[place{s.name, l.from}] = place{name, i + 1}
		}
	}
	out.changed[s.name] = true
	full := filepath.Join(mv.module.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, []byte(b.String()), 0o644)
}

// stays is what remains of a source, nil if it need not change.
func (mv *mover) stays(s *source, p *parcel) []line {
	edits := mv.edits(s, nil)
	gone, wrappers := map[int]bool{}, map[int]string{}
	for _, u := range unitsOf(s, p) {
		x := p.extractionOf(u)
		if x == nil && !p.in(u) {
			continue
		}
		for l := u.first(); l <= u.last(); l++ {
			gone[l] = true
		}
		if x != nil {
			wrappers[u.first()] = mv.wrapper(x, p)
		}
	}
	if len(edits) == 0 && len(gone) == 0 {
		return nil
	}
	text := strings.Split(apply(s.text, edits), "\n")
	lines := header(s, text, mv.importsFor(s, nil))
	for i := importsEnd(s); i < len(text); i++ {
		if w, ok := wrappers[i+1]; ok {
			lines = append(lines, fresh(w)...)
		}
		if !gone[i+1] {
			lines = append(lines, line{text[i], i + 1})
		}
	}
	return lines
}

func unitsOf(s *source, p *parcel) []*unit {
	if p == nil {
		return nil
	}
	return p.graph.byPos[s.path]
}

// header is a source up to its declarations, with other imports.
func header(s *source, text []string, imports []string) []line {
	var lines []line
	for i := range s.line(s.file.Name.End()) {
		lines = append(lines, line{text[i], i + 1})
	}
	return append(lines, fresh(importBlock(imports))...)
}

func fresh(text string) []line {
	var lines []line
	if text == "" {
		return nil
	}
	for t := range strings.SplitSeq(text, "\n") {
		lines = append(lines, line{text: t})
	}
	return lines
}

func importBlock(imports []string) string {
	if len(imports) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nimport (\n")
	for _, i := range imports {
		if i != "" {
			b.WriteString("\t" + i)
		}
		b.WriteByte('\n')
	}
	return b.String() + ")"
}

// importsEnd is the last line of the imports, or of the package clause.
func importsEnd(s *source) int {
	end := s.line(s.file.Name.End())
	for _, d := range s.file.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			end = s.line(gen.End())
		}
	}
	return end
}

// moves is what of a source goes into the new package, nil if nothing does.
func (mv *mover) moves(s *source, p *parcel) []line {
	text := strings.Split(apply(s.text, mv.edits(s, p)), "\n")
	var lines []line
	for _, u := range unitsOf(s, p) {
		if !p.in(u) && p.extractionOf(u) == nil {
			continue
		}
		lines = append(lines, line{})
		for l := u.first(); l <= u.last(); l++ {
			lines = append(lines, line{text[l-1], l})
		}
	}
	if lines == nil {
		return nil
	}
	head := constraint(s) + "// Package " + p.name + " holds the locks of " + s.pkg.Name + ".\npackage " + p.name + "\n" + importBlock(mv.importsFor(s, p))
	return slices.Concat(fresh(head), lines, []line{{}})
}

// constraint is the build constraint of a source.
func constraint(s *source) string {
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if c.Pos() < s.file.Package && strings.HasPrefix(c.Text, "//go:build ") {
				return c.Text + "\n\n"
			}
		}
	}
	return ""
}

// edits are the changed names in a source, as they are written on one side.
func (mv *mover) edits(s *source, to side) []edit {
	var edits []edit
	if to != nil {
		edits = mv.extractionEdits(s, to)
	}
	return append(edits, mv.names(s, to, s.file)...)
}

// names are the changed names below some nodes.
func (mv *mover) names(s *source, to side, nodes ...ast.Node) []edit {
	var edits []edit
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.SelectorExpr:
				if e, ok := mv.qualified(s, n, to); ok {
					edits = append(edits, e)
					return false
				}
			case *ast.Ident:
				if name := mv.spelled(s, n, to); name != n.Name {
					edits = append(edits, edit{s.offset(n.Pos()), s.offset(n.End()), name})
				}
			}
			return true
		})
	}
	return edits
}

// qualified is the edit of pkg.Name where Name has moved out of pkg.
func (mv *mover) qualified(s *source, sel *ast.SelectorExpr, to side) (edit, bool) {
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return edit{}, false
	}
	if _, ok := s.pkg.TypesInfo.Uses[x].(*types.PkgName); !ok {
		return edit{}, false
	}
	name := mv.spelled(s, sel.Sel, to)
	if !strings.Contains(name, ".") {
		return edit{}, false
	}
	return edit{s.offset(sel.Pos()), s.offset(sel.End()), name}, true
}

// spelled is how a name is written on one side: the same, exported, or with the package that it is in now.
func (mv *mover) spelled(s *source, id *ast.Ident, to side) string {
	obj := s.of(id)
	if v, ok := obj.any().(*types.Var); ok && v.Embedded() {
		return mv.spelledEmbedded(id, v)
	}
	o := obj.any()
	if o == nil {
		return id.Name
	}
	if fn, ok := o.(*types.Func); ok && fn.Signature().Recv() != nil {
		return mv.spelledMethod(id, fn)
	}
	decl, ok := mv.module.id(o)
	if !ok || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		return id.Name
	}
	name := id.Name
	if n := mv.newName[decl]; n != "" {
		name = n
	}
	if home := mv.homeOf(o); home != nil && home != to && obj.use != nil {
		return home.name + "." + name
	}
	return name
}

// spelledEmbedded goes by the type: an embedded field bears its name.
func (mv *mover) spelledEmbedded(id *ast.Ident, v *types.Var) string {
	t := typeName(v.Type())
	if decl, ok := mv.module.id(t); ok && mv.newName[decl] != "" {
		return mv.newName[decl]
	}
	return id.Name
}

func (mv *mover) spelledMethod(id *ast.Ident, fn *types.Func) string {
	if fn.Pkg() != nil && !fn.Exported() {
		if n := mv.unexported[method{fn.Pkg().Path(), fn.Name()}]; n != "" {
			return n
		}
	}
	return id.Name
}

// homeOf is the parcel that an object is in.
func (mv *mover) homeOf(obj types.Object) *parcel {
	for _, p := range mv.parcels {
		if u := p.graph.at(obj); u != nil && p.in(u) {
			return p
		}
	}
	return nil
}

// extractionEdits turn methods of a source into functions.
func (mv *mover) extractionEdits(s *source, p *parcel) []edit {
	var edits []edit
	for _, x := range p.extract {
		if x.unit.src != s {
			continue
		}
		fn := x.unit.fn()
		edits = append(edits, edit{s.offset(fn.Recv.Pos()), s.offset(fn.Type.Params.Opening) + 1, mv.head(x, p)})
		for _, f := range x.fields {
			for _, use := range f.uses {
				edits = append(edits, edit{s.offset(use.Pos()), s.offset(use.End()), f.param})
			}
		}
	}
	return edits
}

// head is the function's name, type parameters and new parameters.
func (mv *mover) head(x *extraction, p *parcel) string {
	var params []string
	for _, f := range x.fields {
		params = append(params, f.param+" "+mv.render(x.unit.src, f.expr.Pos(), f.expr.End(), p, f.expr))
	}
	text := x.name
	if list := typeParams(x.unit); list != nil {
		text += mv.render(x.unit.src, list.Pos(), list.End(), p, list)
	}
	text += "(" + strings.Join(params, ", ")
	if len(params) > 0 && len(x.unit.fn().Type.Params.List) > 0 {
		text += ", "
	}
	return text
}

// render is the text between two places, with the names below some nodes as they are written on one side.
func (mv *mover) render(s *source, from, end token.Pos, to side, nodes ...ast.Node) string {
	edits := mv.names(s, to, nodes...)
	start := s.offset(from)
	for i := range edits {
		edits[i].from -= start
		edits[i].to -= start
	}
	return apply(s.text[start:s.offset(end)], edits)
}

// wrapper is the method that stays and calls the function.
func (mv *mover) wrapper(x *extraction, p *parcel) string {
	fn, s := x.unit.fn(), x.unit.src
	var args []string
	for _, f := range x.fields {
		args = append(args, receiver(fn).Name+"."+f.field.Name())
	}
	for _, f := range fn.Type.Params.List {
		for _, id := range f.Names {
			args = append(args, id.Name)
		}
		if _, variadic := f.Type.(*ast.Ellipsis); variadic {
			args[len(args)-1] += "..."
		}
	}
	call := p.name + "." + x.name
	if targs := receiverArgs(fn); len(targs) > 0 {
		call += "[" + strings.Join(targs, ", ") + "]"
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if fn.Type.Results != nil {
		call = "return " + call
	}
	head := mv.render(s, fn.Type.Pos(), fn.Type.End(), nil, fn.Recv, fn.Name, fn.Type)
	return head + " {\n\t" + call + "\n}"
}

// importsFor lists the imports of one side of a source, as they are written.
func (mv *mover) importsFor(s *source, to side) []string {
	used := map[string]bool{}
	mv.inspect(s, to, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if e, ok := mv.qualified(s, n, to); ok {
				used[mv.newImport(e.text)] = true
				return false
			}
		case *ast.Ident:
			mv.useImport(s, n, to, used)
		}
		return true
	})
	for _, x := range mv.extractionsOf(s, to) {
		used[strconv.Quote(x.importPath())] = true
	}
	if to == nil {
		for _, i := range s.file.Imports {
			if i.Name != nil && (i.Name.Name == "_" || i.Name.Name == ".") {
				used[i.Name.Name+" "+i.Path.Value] = true
			}
		}
	}
	return sortedImports(used)
}

// extractionsOf are the parcels whose functions the methods that stay in s call.
func (mv *mover) extractionsOf(s *source, to side) []*parcel {
	p := mv.parcelOf(s)
	if to != nil || p == nil || !slices.ContainsFunc(p.extract, func(x *extraction) bool { return x.unit.src == s }) {
		return nil
	}
	return []*parcel{p}
}

func (mv *mover) useImport(s *source, id *ast.Ident, to side, used map[string]bool) {
	if pkg, ok := s.pkg.TypesInfo.Uses[id].(*types.PkgName); ok {
		text := strconv.Quote(pkg.Imported().Path())
		if pkg.Name() != pkg.Imported().Name() {
			text = pkg.Name() + " " + text
		}
		used[text] = true
	}
	if name := mv.spelled(s, id, to); strings.Contains(name, ".") {
		used[mv.newImport(name)] = true
	}
}

// newImport is the import for a name that has moved.
func (mv *mover) newImport(qualified string) string {
	name, _, _ := strings.Cut(qualified, ".")
	for _, p := range mv.parcels {
		if p.name == name {
			return strconv.Quote(p.importPath())
		}
	}
	return ""
}

// sortedImports puts the standard library first.
func sortedImports(used map[string]bool) []string {
	var std, ext []string
	for i := range used {
		if first, _, _ := strings.Cut(i, "/"); strings.Contains(first, ".") {
			ext = append(ext, i)
		} else {
			std = append(std, i)
		}
	}
	slices.Sort(std)
	slices.Sort(ext)
	if len(std) > 0 && len(ext) > 0 {
		std = append(std, "")
	}
	return append(std, ext...)
}

// inspect walks what of a source is on one side.
func (mv *mover) inspect(s *source, to side, fn func(ast.Node) bool) {
	p := mv.parcelOf(s)
	if p == nil {
		for _, d := range s.file.Decls {
			inspectDecl(d, fn)
		}
		return
	}
	for _, u := range unitsOf(s, p) {
		x := p.extractionOf(u)
		switch {
		case x != nil && to == nil:
			ast.Inspect(u.fn().Recv, fn)
			ast.Inspect(u.fn().Type, fn)
		case x != nil:
			inspectExtraction(x, fn)
		case p.in(u) == (to != nil):
			ast.Inspect(u.decl, fn)
		}
	}
}

func inspectDecl(d ast.Decl, fn func(ast.Node) bool) {
	if gen, ok := d.(*ast.GenDecl); !ok || gen.Tok != token.IMPORT {
		ast.Inspect(d, fn)
	}
}

// inspectExtraction walks a function that was a method: without the receiver, with the types of its fields.
func inspectExtraction(x *extraction, fn func(ast.Node) bool) {
	ast.Inspect(x.unit.fn().Type, fn)
	ast.Inspect(x.unit.fn().Body, fn)
	for _, f := range x.fields {
		ast.Inspect(f.expr, fn)
	}
	if params := typeParams(x.unit); params != nil {
		ast.Inspect(params, fn)
	}
}
