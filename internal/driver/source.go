package driver

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
)

// source is a package to be read from source.
type source struct {
	path      string // as the type checker calls it
	fset      *token.FileSet
	sizes     types.Sizes
	names     []string // absolute names of Go files
	bodies    bool     // look into functions
	fakeC     bool     // cgo did not run: take `import "C"` as it is
	goVersion string
	importer  types.Importer
	overlay   map[string]string // contents of these files stand in those
}

// checked is a package that was read from source. It is never nil and always has types, if not for everything.
type checked struct {
	fset     *token.FileSet
	files    []*ast.File
	pkg      *types.Package
	info     *types.Info
	sizes    types.Sizes
	errs     []types.Error
	problems []string // what is wrong with it, "file:line:column: message"
}

// check parses and type-checks.
func (s *source) check() *checked {
	c := &checked{fset: s.fset, sizes: s.sizes, info: newInfo()}
	s.parse(c)
	if !s.bodies {
		c.info = nil
	}
	s.types(c)
	return c
}

func newInfo() *types.Info {
	return &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Instances:    map[*ast.Ident]types.Instance{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Scopes:       map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{},
	}
}

func (s *source) parse(c *checked) {
	mode := parser.SkipObjectResolution | parser.AllErrors
	if s.bodies {
		mode |= parser.ParseComments
	}
	for _, name := range s.names {
		content, err := s.read(name)
		if err != nil {
			c.problems = append(c.problems, readError(name, err))
			continue
		}
		f, err := parser.ParseFile(s.fset, name, content, mode)
		if f != nil && f.Name != nil {
			c.files = append(c.files, f)
		}
		c.problems = append(c.problems, syntaxProblems(err)...)
	}
}

// read reads a file through the overlay.
func (s *source) read(name string) ([]byte, error) {
	if real, ok := s.overlay[name]; ok {
		name = real
	}
	return os.ReadFile(name)
}

// readError puts the file name first, as for all other problems.
func readError(name string, err error) string {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Sprintf("%s: cannot be read: %v", name, err)
}

// syntaxProblems are the complaints of the parser.
func syntaxProblems(err error) []string {
	var list scanner.ErrorList
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &list):
		return []string{err.Error()}
	}
	list.RemoveMultiples()
	var problems []string
	for _, e := range list {
		problems = append(problems, e.Error())
	}
	return problems
}

// types type-checks what was parsed. Errors are collected, none ends it, and a panic of the type checker on a broken
// program is one more problem.
func (s *source) types(c *checked) {
	conf := &types.Config{
		Importer: s.importer, Sizes: s.sizes, GoVersion: s.goVersion, FakeImportC: s.fakeC,
		IgnoreFuncBodies: !s.bodies,
		Error:            func(err error) { c.add(err) },
	}
	defer func() {
		if r := recover(); r != nil {
			c.problems = append(c.problems, fmt.Sprintf("type checking failed: %v", r))
		}
		if c.pkg == nil {
			c.pkg = types.NewPackage(s.path, filepath.Base(s.path))
		}
		c.pkg.MarkComplete()
	}()
	c.pkg, _ = conf.Check(s.path, s.fset, c.files, c.info)
}

func (c *checked) add(err error) {
	var te types.Error
	if !errors.As(err, &te) {
		c.problems = append(c.problems, err.Error())
		return
	}
	if te.Soft {
		return // unused variables and imports: an error for the compiler, none for the analysis
	}
	c.errs = append(c.errs, te)
	c.problems = append(c.problems, te.Error())
}

// free lets the file set forget the files, once nobody asks for their positions any more.
func (c *checked) free() {
	for _, f := range c.files {
		if tf := c.fset.File(f.FileStart); tf != nil {
			c.fset.RemoveFile(tf)
		}
	}
}

// module is what a pass knows about its module: the same by either way.
func passModule(m *analysis.Module) *analysis.Module {
	if m == nil {
		return nil
	}
	return &analysis.Module{Path: m.Path, Version: m.Version, GoVersion: m.GoVersion}
}
