package rewrite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// The module itself is type-checked from source and its dependencies come as export data: a module that is written for
// one test is then not compiled, which would cost far more than all that is done with it.

const graphMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedDeps | packages.NeedModule

// check loads the packages of the module with their types into m.roots.
func (m *module) check() error {
	all, err := packages.Load(&packages.Config{Mode: graphMode, Dir: m.dir, Fset: m.fset, Tests: true}, "./...")
	if err != nil {
		return err
	}
	for _, p := range all {
		if !strings.HasSuffix(p.ID, ".test") { // the program that runs the tests is not the module's
			m.roots = append(m.roots, p)
		}
	}
	c := &checker{m: m, done: map[*packages.Package]bool{}}
	if err := c.libraries(); err != nil {
		return err
	}
	for _, p := range m.roots {
		if err := c.check(p); err != nil {
			return err
		}
	}
	return nil
}

type checker struct {
	m    *module
	libs map[string]*types.Package // of other modules, by path
	done map[*packages.Package]bool
}

// own reports whether a package is to be read from source.
func own(p *packages.Package) bool { return p.Module != nil && p.Module.Main }

// libraries loads the types of what the module imports of others.
func (c *checker) libraries() error {
	paths := map[string]bool{}
	packages.Visit(c.m.roots, func(p *packages.Package) bool {
		for _, q := range p.Imports {
			if own(p) && !own(q) {
				paths[q.PkgPath] = true
			}
		}
		return own(p)
	}, nil)
	c.libs = map[string]*types.Package{}
	if len(paths) == 0 {
		return nil
	}
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedTypes, Dir: c.m.dir, Fset: c.m.fset}
	libs, err := packages.Load(cfg, slices.Sorted(maps.Keys(paths))...)
	for _, p := range libs {
		c.libs[p.PkgPath] = p.Types
	}
	return err
}

// check parses and type-checks a package of the module, imports first.
func (c *checker) check(p *packages.Package) error {
	if c.done[p] || !own(p) {
		return nil
	}
	c.done[p] = true
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		if err := c.check(p.Imports[path]); err != nil {
			return err
		}
	}
	if len(p.Errors) > 0 {
		return fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
	}
	for _, name := range p.CompiledGoFiles {
		file, err := parser.ParseFile(c.m.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.Syntax = append(p.Syntax, file)
	}
	p.TypesInfo = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := &types.Config{Importer: importer{c, p}, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	var err error
	p.Types, err = conf.Check(p.PkgPath, c.m.fset, p.Syntax, p.TypesInfo)
	return err
}

// importer finds what one package imports: which of a package's variants that is depends on who imports it.
type importer struct {
	c    *checker
	from *packages.Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := i.from.Imports[path]
	switch {
	case p == nil:
		return nil, fmt.Errorf("import %q is not known", path)
	case own(p) && p.Types != nil:
		return p.Types, nil
	case i.c.libs[p.PkgPath] != nil:
		return i.c.libs[p.PkgPath], nil
	}
	return nil, fmt.Errorf("import %q has no types", path)
}
