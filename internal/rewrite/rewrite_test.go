package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Folders of marked programs that the tests transform: several forms of helpers, but not all programs, since each run
// builds them twice.
var folders = []string{
	"sc03-parcel-labels", "sc10-card-printing", "sc12-meter-readings", "sc33-crate-shipping", "lk04-ride-sharing",
	"lk25-harbour-pilots", "lk26-one-spelling",
}

// copyModule makes a module of some marked programs and the tricky one.
func copyModule(t *testing.T, folders ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the modules of the client libraries")
	}
	dir, from := t.TempDir(), filepath.Join("..", "..", "testdata", "founding-b")
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(from, name), filepath.Join(dir, name))
	}
	for _, folder := range folders {
		copyTree(t, filepath.Join(from, folder), filepath.Join(dir, folder))
	}
	copyTree(t, filepath.Join("testdata", "tricky"), filepath.Join(dir, "tricky"))
	return dir
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err == nil {
			copyFile(t, path, filepath.Join(to, rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// runGo runs the go command in a module: what was rewritten must build, and its tests must still pass.
func runGo(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// goFiles reads all Go files of a module, by name.
func goFiles(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		rel, rerr := filepath.Rel(dir, path)
		if err != nil || rerr != nil {
			return err
		}
		files[filepath.ToSlash(rel)] = strings.Split(string(text), "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// mark is the comment by which a line is known.
func mark(line string) string {
	for _, word := range []string{"// EXPECT:", "// ALSO-OK:", "// MARK:"} {
		if _, text, ok := strings.Cut(line, word); ok {
			return word + text
		}
	}
	return ""
}

// checkMarks follows every marked line, and counts those that have moved to another file.
func checkMarks(t *testing.T, before, after map[string][]string, m *Map) (moved int) {
	t.Helper()
	for name, lines := range before {
		for i, line := range lines {
			if mark(line) == "" {
				continue
			}
			file, n := m.Line(name, i+1)
			if n < 1 || n > len(after[file]) || mark(after[file][n-1]) != mark(line) {
				t.Errorf("%s:%d went to %s:%d, which is not marked %q", name, i+1, file, n, mark(line))
			}
			if file != name {
				moved++
			}
		}
	}
	return moved
}

func TestRename(t *testing.T) {
	dir := copyModule(t, folders...)
	before := goFiles(t, dir)
	m, err := Rename(dir)
	if err != nil {
		t.Fatal(err)
	}
	after := goFiles(t, dir)
	checkMarks(t, before, after, m)
	checkDeclared(t, dir)
	text := func(name string) string { return strings.Join(after[name], "\n") }
	for _, want := range []string{") Speak(", "words.Prefix", "tricky-job", "{id}", "key=name"} {
		if strings.Contains(text("tricky/tricky.go"), want) {
			t.Errorf("%q is still there", want)
		}
	}
	for _, want := range []string{`json:"title"`, "POST /jobs/new", `"x-client"`, "func (", ") String() string", "//leasevet:acquire key="} {
		if !strings.Contains(text("tricky/tricky.go"), want) {
			t.Errorf("%q is gone", want)
		}
	}
	runGo(t, dir, "vet", "./...")
	runGo(t, dir, "test", "./tricky/...", "./lk26-one-spelling")
}

// checkDeclared looks for declarations that kept their name without need: new ones end in Q.
func checkDeclared(t *testing.T, dir string) {
	t.Helper()
	may := []string{"main", "init", "_", "String", "ServeHTTP", "ProcessTask"}
	for name := range goFiles(t, dir) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range declared(file) {
			if !strings.HasSuffix(id.Name, "Q") && !slices.Contains(may, id.Name) && !strings.HasPrefix(id.Name, "Test") {
				t.Errorf("%s: %s kept its name", fset.Position(id.Pos()), id.Name)
			}
		}
	}
}

// declared are the identifiers that a file declares, as far as syntax tells.
func declared(file *ast.File) []*ast.Ident {
	var ids []*ast.Ident
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			ids = append(ids, n.Name)
		case *ast.TypeSpec:
			ids = append(ids, n.Name)
		case *ast.ValueSpec:
			ids = append(ids, n.Names...)
		case *ast.Field:
			ids = append(ids, n.Names...)
		case *ast.LabeledStmt:
			ids = append(ids, n.Label)
		}
		return true
	})
	return ids
}

func TestMove(t *testing.T) {
	dir := copyModule(t, folders...)
	before := goFiles(t, dir)
	m, err := Move(dir)
	if err != nil {
		t.Fatal(err)
	}
	after := goFiles(t, dir)
	if moved := checkMarks(t, before, after, m); moved < 3 {
		t.Errorf("%d marked lines have moved to another file, want 3 at least", moved)
	}
	for _, file := range []string{
		"tricky/trickyheld/tricky.go", "sc10-card-printing/guard/guardheld/guard.go",
		"sc33-crate-shipping/crateshippingheld/crates.go", "lk04-ride-sharing/ridesharingheld/rides.go",
	} {
		if after[file] == nil {
			t.Errorf("%s is not there", file)
		}
	}
	runGo(t, dir, "vet", "./...")
	runGo(t, dir, "test", "./tricky/...", "./lk26-one-spelling")
}

// Moved and renamed, the module is hardly to be recognised, and its marks still are where the maps say.
func TestMoveAfterRename(t *testing.T) {
	dir := copyModule(t, "sc33-crate-shipping")
	before := goFiles(t, dir)
	first, err := Rename(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Move(dir)
	if err != nil {
		t.Fatal(err)
	}
	if moved := checkMarks(t, before, goFiles(t, dir), first.Then(second)); moved < 3 {
		t.Errorf("%d marked lines have moved to another file, want 3 at least", moved)
	}
	runGo(t, dir, "vet", "./...")
}

func TestRenameRefusesWhatDoesNotBuild(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26.0\n", "m.go": "package m\n\nfunc f() { g() }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Rename(dir); err == nil {
		t.Error("Rename did not mind")
	}
	if _, err := Move(dir); err == nil {
		t.Error("Move did not mind")
	}
}
