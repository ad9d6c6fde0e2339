package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// source is one file of the module.
type source struct {
	name string // relative to the module, with forward slashes
	path string
	text string
	file *ast.File
	tok  *token.File
	pkg  *packages.Package
}

func (s *source) isTest() bool           { return strings.HasSuffix(s.name, "_test.go") }
func (s *source) offset(p token.Pos) int { return s.tok.Offset(p) }
func (s *source) line(p token.Pos) int   { return s.tok.Line(p) }
func (s *source) has(p token.Pos) bool   { return s.file.FileStart <= p && p <= s.file.FileEnd }
func (s *source) of(id *ast.Ident) object {
	return object{s.pkg.TypesInfo.Uses[id], s.pkg.TypesInfo.Defs[id]}
}

// object is what an identifier uses and what it declares; for an embedded field it is both.
type object struct{ use, def types.Object }

// any is the one, or else the other.
func (o object) any() types.Object {
	if o.use != nil {
		return o.use
	}
	return o.def
}

// module is a module, loaded with its types. Each file is in it once, although a package with tests is checked twice.
type module struct {
	dir     string
	fset    *token.FileSet
	roots   []*packages.Package
	sources []*source
	names   map[string]bool // every identifier and every imported package's name
}

// load reads the module in dir. It refuses one that does not build, because half the names would be missing.
func load(dir string) (*module, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, err
	}
	m := &module{dir: abs, fset: token.NewFileSet(), names: map[string]bool{}}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	return m, m.read()
}

// read fills in the sources. The variant of a package that has its tests goes first, since it has all files.
func (m *module) read() error {
	slices.SortStableFunc(m.roots, func(a, b *packages.Package) int {
		return variant(a) - variant(b)
	})
	seen := map[string]bool{}
	for _, p := range m.roots {
		for i, file := range p.Syntax {
			path := p.CompiledGoFiles[i]
			if seen[path] || !m.contains(path) {
				continue
			}
			seen[path] = true
			if err := m.add(p, file, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func variant(p *packages.Package) int {
	if strings.Contains(p.ID, " [") {
		return 0
	}
	return 1
}

func (m *module) contains(path string) bool {
	rel, err := filepath.Rel(m.dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (m *module) add(p *packages.Package, file *ast.File, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(m.dir, path)
	if err != nil {
		return err
	}
	m.sources = append(m.sources, &source{name: filepath.ToSlash(rel), path: path, text: string(text),
		file: file, tok: m.fset.File(file.FileStart), pkg: p})
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			m.names[id.Name] = true
		}
		return true
	})
	for _, imp := range p.Types.Imports() {
		m.names[imp.Name()] = true
	}
	return nil
}

// declID is where an object is declared; it is the same in all variants of a package.
type declID struct {
	file   string
	offset int
}

// id is the declaration of an object of this module; ok is false for objects of other modules and of the language.
func (m *module) id(obj types.Object) (id declID, ok bool) {
	if obj == nil || !obj.Pos().IsValid() {
		return declID{}, false
	}
	p := m.fset.Position(obj.Pos())
	return declID{p.Filename, p.Offset}, m.contains(p.Filename)
}

// imports calls fn for every package of other modules that the module can see, once.
func (m *module) imports(fn func(*types.Package)) {
	own, seen := map[string]bool{}, map[string]bool{}
	for _, p := range m.roots {
		own[p.PkgPath] = true
	}
	var walk func(*types.Package)
	walk = func(p *types.Package) {
		if seen[p.Path()] {
			return
		}
		seen[p.Path()] = true
		if !own[p.Path()] {
			fn(p)
		}
		for _, i := range p.Imports() {
			walk(i)
		}
	}
	for _, p := range m.roots {
		walk(p.Types)
	}
}
