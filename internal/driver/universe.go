package driver

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/leasevet/leasevet/passes/lockfacts"
)

// A universe is a set of packages whose types fit together: one *types.Package per import path. All plain packages
// share one. What a test imports in the variant that was compiled for it needs another, because there the same path
// means a different package.
//
// Reading a package may complete others that were only mentioned before. So a universe is filled while no unit uses it:
// see run.gate.
type universe struct {
	fset    *token.FileSet
	sizes   types.Sizes
	overlay map[string]string
	pkgs    map[string]*types.Package // what export data is read into, by path; may be incomplete
	loaded  map[string]loadedPkg      // by ImportPath of the node
	reads   int                       // how many were read from export data
}

type loadedPkg struct {
	pkg *types.Package
	err error
}

func newUniverse(fset *token.FileSet, sizes types.Sizes, overlay map[string]string) *universe {
	return &universe{
		fset: fset, sizes: sizes, overlay: overlay,
		pkgs: map[string]*types.Package{}, loaded: map[string]loadedPkg{},
	}
}

// load reads the types of n: from export data, or, for a variant or a package that does not compile, from source.
func (u *universe) load(n *node) (*types.Package, error) {
	if n.path == "unsafe" {
		return types.Unsafe, nil
	}
	if got, ok := u.loaded[n.ImportPath]; ok {
		return got.pkg, got.err
	}
	u.loaded[n.ImportPath] = loadedPkg{err: fmt.Errorf("import cycle through %s", n.path)}
	var got loadedPkg
	if n.Export != "" && !n.variant() {
		u.reads++
		got.pkg, got.err = readExport(u.fset, u.pkgs, n.path, n.Export)
	} else {
		got.pkg, got.err = u.loadSource(n)
	}
	u.loaded[n.ImportPath] = got
	return got.pkg, got.err
}

// loadImports reads the types of all that n imports. An error is returned only if it dooms every package.
func (u *universe) loadImports(n *node) error {
	for _, m := range n.imports {
		_, err := u.load(m)
		if rebuild := (*RebuildError)(nil); errors.As(err, &rebuild) {
			return rebuild
		}
	}
	return nil
}

// loadSource type-checks the declarations of n, tolerantly: what does not compile may still have useful types.
func (u *universe) loadSource(n *node) (*types.Package, error) {
	if !n.hasFiles() {
		if n.Error != nil {
			return nil, errors.New(compilerText(n.Error.Err)) // the position is that of another import, maybe
		}
		return nil, fmt.Errorf("no types for package %s", n.path)
	}
	for _, m := range n.imports {
		u.load(m) // an error stays with the import, where the type checker meets it
	}
	src := u.source(n)
	src.bodies = false
	got := src.check()
	if endless := lockfacts.Endless(got.errs); endless != "" {
		return nil, errors.New(endless)
	}
	u.pkgs[n.path] = got.pkg
	return got.pkg, nil
}

// source describes how to read n from source, its imports from u.
func (u *universe) source(n *node) *source {
	files := append(absFiles(n.Dir, n.GoFiles), absFiles(n.Dir, n.CgoFiles)...)
	fakeC := len(n.CgoFiles) > 0
	if fakeC && len(n.CompiledGoFiles) > 0 {
		files, fakeC = absFiles(n.Dir, n.CompiledGoFiles), false
	}
	return &source{
		path: n.path, fset: u.fset, sizes: u.sizes, names: files, bodies: true, fakeC: fakeC,
		goVersion: goVersion(n.Module), importer: u.importerFor(n), overlay: u.overlay,
	}
}

// importerFor resolves the import paths that stand in the source of n. It reads nothing.
func (u *universe) importerFor(n *node) types.Importer {
	return importerFunc(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		id := path
		if mapped, ok := n.ImportMap[path]; ok {
			id = mapped
		}
		got, ok := u.loaded[id]
		if !ok {
			return nil, fmt.Errorf("could not import %s (no package for it)", path)
		}
		return got.pkg, got.err
	})
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// readExport reads one file that the compiler wrote.
func readExport(fset *token.FileSet, pkgs map[string]*types.Package, path, file string) (pkg *types.Package, err error) {
	if pkg := pkgs[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the export data of %s: %v", path, err)
	}
	defer f.Close()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot read the export data of %s: %v", path, r)
		}
		if err != nil {
			err = exportError(file, err)
		}
	}()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read the export data of %s: %v", path, err)
	}
	return gcexportdata.Read(r, fset, pkgs, path)
}
