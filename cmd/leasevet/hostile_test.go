package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// goodPackage has one fault that has to be found whatever stands beside it.
const goodPackage = `package good

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

func F(ctx context.Context, rdb *redis.Client, key string) {
	if ok, err := rdb.SetNX(ctx, key, "v", time.Minute).Result(); err != nil || !ok {
		return
	}
	defer rdb.Del(ctx, key)
}
`

// A scene is a module in which something is wrong, or a way to call the command.
type scene struct {
	name  string
	files map[string]string // beside the good package; one with no text is removed
	links map[string]string // symbolic links
	env   []string
	args  []string // ./... if there are none
	// stderr is what the lines there have to match, one pattern for each, "" if there must be none.
	stderr string
	// nothing is true where not even the good package can be read.
	nothing bool
}

func bad(text string) map[string]string {
	return map[string]string{"bad/bad.go": strings.Replace(goodPackage, "good", "bad", 1) + text}
}

var scenes = []scene{
	{name: "nothing wrong"},
	{name: "type error", files: bad("func G() { undefined() }\n"), stderr: `m/bad: .*bad/bad.go:16:12: undefined: undefined$`},
	{name: "syntax error", files: bad("func G( {\n"), stderr: `m/bad: .*bad/bad.go:16:9: expected '\)', found '{'$`},
	{name: "instances without end", stderr: `m/bad: .*instantiation cycle`, files: bad(`
type N[T any] struct{ next *N[*T] }

func (n *N[T]) Acquire(ctx context.Context, rdb *redis.Client) {
	if n.next != nil {
		n.next.Acquire(ctx, rdb)
	}
	rdb.SetNX(ctx, "k", "v", time.Minute)
}

func G(ctx context.Context, rdb *redis.Client) { new(N[int]).Acquire(ctx, rdb) }
`)},
	{name: "instances without end in an import", stderr: "m/bad: .*could not import m/a .*instantiation cycle\nm/a: .*instantiation cycle", files: map[string]string{
		"a/a.go":     "package a\n\ntype N[T any] struct{ next *N[*T] }\n\nfunc (n *N[T]) F() { n.next.F() }\n",
		"bad/bad.go": strings.NewReplacer("good", "bad", "\"time\"", "\"time\"\n\t\"m/a\"").Replace(goodPackage) + "\nfunc G() { new(a.N[int]).F() }\n",
	}},
	{name: "a type that holds itself", files: bad("type T struct{ T }\n\nvar x T\n"), stderr: `m/bad: .*invalid recursive type`},
	{name: "text that is not UTF-8", files: bad("var x = \"\xff\xfe\" // \xff\n"), stderr: `m/bad: .*bad/bad.go:16:10: illegal UTF-8 encoding`},
	{name: "no text", files: map[string]string{"bad/bad.go": "\x00\x00"}, stderr: `m/bad: .*bad/bad.go: unexpected NUL`},
	{name: "other names for lines", files: bad("//line /no/such/file.go:99\nfunc G() { _ = undefined }\n"), stderr: `m/bad: .*undefined: undefined`},
	{name: "dangling link", files: bad(""), links: map[string]string{"bad/x.go": "/no/such/file.go"}, stderr: `m/bad: .*bad/x.go: no such file`},
	{name: "links in a circle", files: bad(""), links: map[string]string{"bad/x.go": "x.go", "loop": "."}, stderr: `m/bad: .*bad/x.go: `},
	{name: "directory that is called as a file", files: map[string]string{"bad/x.go/y.txt": "text\n"}},
	{name: "import cycle", stderr: `m/a: .*import cycle`, files: map[string]string{
		"a/a.go": "package a\n\nimport \"m/b\"\n\nfunc A() { b.B() }\n", "b/b.go": "package b\n\nimport \"m/a\"\n\nfunc B() { a.A() }\n",
	}},
	{name: "package that imports itself", files: map[string]string{"a/a.go": "package a\n\nimport \"m/a\"\n\nfunc A() { a.A() }\n"},
		stderr: `m/a: .*import cycle`},
	{name: "main twice", stderr: `m/bad: .*main redeclared`, files: map[string]string{
		"bad/a.go": "package main\n\nfunc main() {}\n", "bad/b.go": "package main\n\nfunc main() {}\n",
	}},
	{name: "missing module", files: map[string]string{"bad/a.go": "package bad\n\nimport _ \"example.com/none/such\"\n"},
		stderr: `example.com/none/such: .*no required module provides`},
	{name: "cgo without a compiler", files: map[string]string{"bad/a.go": "package bad\n\n// int f(void) { return 1; }\nimport \"C\"\n\nfunc A() int { return int(C.f()) }\n"},
		env: []string{"CC=/no/such/compiler", "CGO_ENABLED=1"}},

	{name: "vendor without a list", files: map[string]string{"vendor/example.com/x/x.go": "package x\n"}, nothing: true, stderr: `inconsistent vendoring`},
	{name: "no go.mod", files: map[string]string{"go.mod": ""}, nothing: true, stderr: `no go.mod here or above`},
	{name: "no sense in go.mod", files: map[string]string{"go.mod": "sense\n"}, nothing: true, stderr: `go.mod:1: unknown directive: sense`},
	{name: "newer Go wanted", files: map[string]string{"go.mod": "module m\n\ngo 1.99.0\n"}, nothing: true, env: []string{"GOTOOLCHAIN=local"}, stderr: `requires go >= 1.99.0`},
	{name: "no package", args: []string{"./none/..."}, nothing: true, stderr: `nothing to analyse: ./none/...`},
	{name: "no file", args: []string{"./good/none.go"}, nothing: true, stderr: `nothing to analyse: ./good/none.go`},
	{name: "no directory", args: []string{"-C", "none"}, nothing: true, stderr: `none: no such directory`},
	{name: "one file", args: []string{"good/good.go"}},
	{name: "no home", env: []string{"HOME=", "GOPATH=", "GOMODCACHE=", "GOCACHE=", "XDG_CACHE_HOME="}, nothing: true, stderr: `module cache not found|build cache`},
	{name: "no cache", env: []string{"GOCACHE=/dev/null/x"}, nothing: true, stderr: `build cache`},
	{name: "no go command", env: []string{"PATH=/no/such/directory"}, nothing: true, stderr: `the go command is not in PATH`},
	{name: "wrong flags for the go command", env: []string{"GOFLAGS=-nonsense"}, nothing: true, stderr: `unknown flag -nonsense`},
}

// TestHostileScenes checks that whatever is wrong with a module is said in one line, that the rest is analysed all the
// same, and that a run which could not read everything ends with 2.
func TestHostileScenes(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds the command, makes links")
	}
	exe := buildCommand(t)
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.check(t, exe, s.module(t))
		})
	}
}

// module writes the module of a scene.
func (s *scene) module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	mod, sum := readFile(t, "../../testdata/founding-a/go.mod"), readFile(t, "../../testdata/founding-a/go.sum")
	_, rest, _ := strings.Cut(mod, "\n")
	files := map[string]string{"go.mod": "module m\n" + rest, "go.sum": sum, "good/good.go": goodPackage}
	for name, text := range s.files {
		files[name] = text
	}
	for name, text := range files {
		if text != "" {
			writeFile(t, filepath.Join(dir, name), text)
		}
	}
	for name, to := range s.links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) check(t *testing.T, exe, dir string) {
	t.Helper()
	args := s.args
	if len(args) == 0 {
		args = []string{"./..."}
	}
	cmd := exec.Command(exe, append([]string{"-json"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "PWD="+dir), s.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	want := findings
	if s.stderr != "" {
		want = trouble
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Errorf("exit status %d, want %d", got, want)
	}
	s.checkStderr(t, stderr.String())
	if found := s.foundGood(t, stdout.Bytes()); found == s.nothing {
		t.Errorf("the fault of the good package: found %v\n%s", found, stdout.String())
	}
}

// checkStderr wants a line for what is wrong, and never a trace.
func (s *scene) checkStderr(t *testing.T, text string) {
	t.Helper()
	if s.stderr == "" {
		if text != "" {
			t.Errorf("stderr:\n%s", text)
		}
		return
	}
	lines, want := strings.Split(strings.TrimSpace(text), "\n"), strings.Split(s.stderr, "\n")
	ok := len(lines) == len(want)
	for i := range want {
		ok = ok && strings.HasPrefix(lines[i], "leasevet: ") && regexp.MustCompile(want[i]).MatchString(lines[i])
	}
	if !ok {
		t.Errorf("stderr, want lines with %s:\n%s", s.stderr, text)
	}
}

func (s *scene) foundGood(t *testing.T, stdout []byte) bool {
	t.Helper()
	if len(stdout) == 0 {
		return false
	}
	var out struct{ Findings []struct{ File, Kind string } }
	if err := json.Unmarshal(stdout, &out); err != nil {
		t.Fatalf("%v\n%s", err, stdout)
	}
	for _, f := range out.Findings {
		if f.File == "good/good.go" && f.Kind == "ownerless-release" {
			return true
		}
	}
	return false
}

// TestInterruptSignal interrupts the command while it waits for the go command, for which a program stands that does
// not end by itself.
func TestInterruptSignal(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds the command, sends a signal")
	}
	exe, dir := buildCommand(t), t.TempDir()
	started := filepath.Join(dir, "started")
	writeFile(t, filepath.Join(dir, "go"), "#!/bin/sh\n: > "+started+"\nexec sleep 300\n")
	if err := os.Chmod(filepath.Join(dir, "go"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "./...")
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, err := os.Stat(started); err != nil; _, err = os.Stat(started) {
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != trouble {
		t.Errorf("the command ended with %v", err)
	}
	if got := stderr.String(); got != "leasevet: interrupted before any package was analysed\n" {
		t.Errorf("stderr %q", got)
	}
}

// TestReaderThatLeaves checks that nothing is said when nobody reads the output to its end.
func TestReaderThatLeaves(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds the command")
	}
	exe := buildCommand(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	cmd := exec.Command(exe, "kinds", "-json")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = write, &stderr
	err = cmd.Run()
	write.Close()
	if err == nil || slices.Contains([]int{clean, findings}, cmd.ProcessState.ExitCode()) || strings.Count(stderr.String(), "\n") > 1 {
		t.Errorf("the command ended with %v, stderr %q", err, stderr.String())
	}
}
