// Package onepkg analyses one package that is given as text, against the types of real libraries, in milliseconds: it is
// for tests that make thousands of programs. Whatever depends on the go command, on several packages, or on files is
// beyond it.
package onepkg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/internal/driver"
)

// Libraries are the types of the packages that programs may import. They are read once, and may be used by one
// goroutine at a time.
type Libraries struct {
	fset  *token.FileSet
	types types.Importer
	sizes types.Sizes
}

// Load finds out where the compiler keeps the types of the given packages and of all that they import, as seen from a
// module.
func Load(module string, paths ...string) (*Libraries, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export", "--"}, paths...)...)
	cmd.Dir = module
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %v: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	files := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		files[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	open := func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("no types for %s", path)
		}
		return os.Open(files[path])
	}
	return &Libraries{fset, importer.ForCompiler(fset, "gc", open), types.SizesFor("gc", runtime.GOARCH)}, nil
}

// Package is a program that has been type-checked.
type Package struct {
	libs *Libraries
	driver.Single
}

// Check parses and type-checks a package of one file. Type errors are in the Package; an error is one of syntax.
func (l *Libraries) Check(path, text string) (*Package, error) {
	file, err := parser.ParseFile(l.fset, path+".go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	p := &Package{l, driver.Single{Fset: l.fset, Files: []*ast.File{file}, Sizes: l.sizes, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}}}
	conf := &types.Config{Importer: l.types, Sizes: l.sizes, Error: func(err error) {
		var te types.Error
		if errors.As(err, &te) && !te.Soft {
			p.Errors = append(p.Errors, te)
		}
	}}
	p.Pkg, _ = conf.Check(path, l.fset, p.Files, p.Info)
	return p, nil
}

// Build makes the SSA form, as the analysis does: what a test can hold the cost of the analysis against.
func (p *Package) Build() {
	prog := ssa.NewProgram(p.Fset, ssa.InstantiateGenerics)
	for _, q := range p.Pkg.Imports() {
		prog.CreatePackage(q, nil, nil, true)
	}
	prog.CreatePackage(p.Pkg, p.Files, p.Info, false).Build()
}

// Free forgets the positions in the package. It and what was found in it must not be used any more.
func (p *Package) Free() {
	for _, f := range p.Files {
		if tf := p.Fset.File(f.FileStart); tf != nil {
			p.Fset.RemoveFile(tf)
		}
	}
}
