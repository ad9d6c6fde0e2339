package driver

import (
	"context"
	"fmt"
	"go/build"
	"go/token"
	"go/types"
	"strings"
)

// importer reads the export data of the direct imports. The go command names a file for each of them; should a version
// of it not do so, it is asked for the file.
func (u *vetUnit) importer(fset *token.FileSet) types.Importer {
	pkgs := map[string]*types.Package{}
	var asked map[string]string
	return importerFunc(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		id := path
		if mapped, ok := u.ImportMap[path]; ok {
			id = mapped
		}
		file := u.PackageFile[id]
		if file == "" {
			if asked == nil {
				asked = u.askExport()
			}
			file = asked[id]
		}
		if file == "" {
			return nil, fmt.Errorf("could not import %s (the go command gave no export data for it)", path)
		}
		return readExport(fset, pkgs, plainPath(id), file)
	})
}

// askExport asks the go command for the export data that the config does not name. Variants cannot be asked for.
func (u *vetUnit) askExport() map[string]string {
	var want []string
	for _, id := range u.ImportMap {
		if u.PackageFile[id] == "" && id != "unsafe" && id != "C" && !strings.Contains(id, " [") {
			want = append(want, id)
		}
	}
	files := map[string]string{}
	if len(want) == 0 {
		return files
	}
	tool := goTool{dir: u.Dir}
	pkgs, _, err := tool.list(context.Background(), []string{"-export", "-json=ImportPath,Export"}, want)
	if err != nil {
		return files // each import that needs one says that it has none
	}
	for _, p := range pkgs {
		files[p.ImportPath] = p.Export
	}
	return files
}

// toolchain is the Go version that compiled the imports, "" if none says so.
func (u *vetUnit) toolchain() string {
	for _, id := range sortedKeys(u.PackageFile) {
		if v := exportVersion(u.PackageFile[id]); v != "" {
			return v
		}
	}
	return ""
}

// goroot asks the go command where the standard library is; it is needed only where the environment does not say so.
func (u *vetUnit) goroot() string {
	tool := goTool{dir: u.Dir}
	out, _, err := tool.run(context.Background(), "env", "GOROOT")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// goarch is the architecture that the go command compiles for: it tells its tools in the environment.
func goarch() string { return build.Default.GOARCH }
