package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leasevet/leasevet/internal/directive"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

// outcome is what a call of the command left.
type outcome struct {
	status         int
	stdout, stderr string
	cfg            driver.Config // what the driver was asked
}

// call runs the command with a driver that answers with the given result.
func call(t *testing.T, result *driver.Result, err error, args ...string) outcome {
	t.Helper()
	var out outcome
	var stdout, stderr bytes.Buffer
	c := &command{
		stdout: &stdout, stderr: &stderr, env: []string{"A=1"},
		analyse: func(_ context.Context, cfg driver.Config) (*driver.Result, error) {
			out.cfg = cfg
			return result, err
		},
	}
	out.status = c.run(t.Context(), args)
	out.stdout, out.stderr = stdout.String(), stderr.String()
	return out
}

// found is a result with one finding of each level, and a suppressed one.
func found(levels ...finding.Level) *driver.Result {
	names := map[finding.Level]string{finding.Error: "no-ttl", finding.Warning: "long-ttl", finding.Note: "shared-key"}
	r := &driver.Result{Coverage: driver.Coverage{Packages: 3, Analysed: 3, Irrelevant: 2}}
	for i, level := range levels {
		r.Findings = append(r.Findings, finding.Finding{
			Analyzer: "a", Kind: names[level], Level: level, Scope: finding.Unit, Package: "p",
			Place: finding.Place{File: "a.go", Line: i + 1, Column: 1}, Message: "message",
		})
	}
	return r
}

// shownKinds are the kinds in JSON output.
func shownKinds(t *testing.T, stdout string) string {
	t.Helper()
	var out struct{ Findings []struct{ Kind string } }
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	var names []string
	for _, f := range out.Findings {
		names = append(names, f.Kind)
	}
	return strings.Join(names, " ")
}

// TestLevels checks what is shown, and which status it makes.
func TestLevels(t *testing.T) {
	all := []finding.Level{finding.Error, finding.Warning, finding.Note}
	for _, c := range []struct {
		args   string
		levels []finding.Level
		status int
		kinds  string
	}{
		{"", nil, clean, ""},
		{"", all, findings, "no-ttl long-ttl"},
		{"", all[2:], clean, ""},
		{"-level=note", all, findings, "no-ttl long-ttl shared-key"},
		{"-level=note", all[2:], clean, "shared-key"},
		{"-level=error", all[1:], clean, ""},
		{"-fail-level=error", all[1:], clean, "long-ttl"},
		{"-fail-level=error", all, findings, "no-ttl long-ttl"},
		{"-fail-level=note", all[2:], findings, "shared-key"},
		{"-fail-level=note -level=error", all[2:], clean, ""},
		{"-kinds=long-ttl", all, findings, "long-ttl"},
		{"-kinds=long-ttl,no-ttl", all, findings, "no-ttl long-ttl"},
		{"-kinds=short-ttl", all, clean, ""},
		{"-kinds=no-ttl/rule", all, clean, ""},
	} {
		args := append(strings.Fields(c.args), "-json", "./...")
		out := call(t, found(c.levels...), nil, args...)
		if got := shownKinds(t, out.stdout); out.status != c.status || got != c.kinds || out.stderr != "" {
			t.Errorf("%v: status %d, want %d; shows %q, want %q; stderr %q", args, out.status, c.status, got, c.kinds, out.stderr)
		}
	}
}

func TestSuppressed(t *testing.T) {
	r := found(finding.Error)
	why := "known"
	r.Findings[0].Suppressed = &why
	out := call(t, r, nil, "-json")
	if out.status != clean || !strings.Contains(out.stdout, `"suppressed": "known"`) {
		t.Errorf("status %d, output\n%s", out.status, out.stdout)
	}
	if out := call(t, r, nil); out.status != clean || !strings.HasPrefix(out.stdout, "no findings (1 suppressed);") {
		t.Errorf("status %d, output\n%s", out.status, out.stdout)
	}
}

func TestText(t *testing.T) {
	out := call(t, found(finding.Error, finding.Note), nil, "check", "./...")
	want := "a.go:1:1: error: message [no-ttl]\n\n" +
		"1 error in 1 package (1 below the level); 1 package analysed, 2 irrelevant\n"
	if out.stdout != want || out.stderr != "" {
		t.Errorf("got\n%s%s", out.stdout, out.stderr)
	}
}

// TestConfig checks that the flags reach the driver.
func TestConfig(t *testing.T) {
	out := call(t, found(), nil, "-C", "dir", "--tags=a,b", "-tests=false", "./x", "./y/...")
	cfg := out.cfg
	if cfg.Dir != "dir" || cfg.Tags != "a,b" || cfg.Tests || !slices.Equal(cfg.Patterns, []string{"./x", "./y/..."}) ||
		!slices.Equal(cfg.Env, []string{"A=1"}) || cfg.Progress == nil {
		t.Errorf("%+v", cfg)
	}
	if cfg := call(t, found(), nil).cfg; !cfg.Tests || cfg.Dir != "" || len(cfg.Patterns) != 0 {
		t.Errorf("without flags: %+v", cfg)
	}
}

// TestMistakes checks the line that a wrong call gets.
func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"-nonsense":          "flag provided but not defined: -nonsense",
		"-level=fatal":       "the levels are error, warning and note",
		"-fail-level=none":   "the levels are error, warning and note",
		"-level=":            "the levels are error, warning and note",
		"-kinds=no-tl":       `did you mean "no-ttl"?`,
		"-kinds=zzz":         `unknown kind "zzz", leasevet kinds lists them`,
		"-kinds=":            `unknown kind ""`,
		"-json=perhaps":      "invalid boolean value",
		"./... -json":        "flags go before packages: -json",
		"kinds no-ttl":       "kinds takes no arguments",
		"version -x":         "flag provided but not defined: -x",
		"check -tags":        "flag needs an argument: -tags",
		"check -C":           "flag needs an argument: -C",
		"kinds -json=beware": "invalid boolean value",
	} {
		out := call(t, found(), nil, strings.Fields(args)...)
		if out.status != trouble || out.stdout != "" || !strings.Contains(out.stderr, want) ||
			!strings.HasPrefix(out.stderr, "leasevet: ") || strings.Count(out.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want %q", args, out.status, out.stdout, out.stderr, want)
		}
	}
}

func TestReservedKind(t *testing.T) {
	out := call(t, found(finding.Error), nil, "-kinds=unguarded-call,no-ttl")
	if out.status != findings || out.stderr != "leasevet: this version does not look for unguarded-call yet\n" {
		t.Errorf("status %d, stderr %q", out.status, out.stderr)
	}
}

// TestFailures checks that findings are printed even if not everything could be analysed.
func TestFailures(t *testing.T) {
	r := found(finding.Error)
	r.Coverage.Failed = []driver.Problem{{Package: "p/q", Reason: "a.go:3:1: expected ';'"}, {Package: "p/r", Reason: "gone"}}
	out := call(t, r, nil, "-json")
	if out.status != trouble || shownKinds(t, out.stdout) != "no-ttl" {
		t.Errorf("status %d, output\n%s", out.status, out.stdout)
	}
	if want := "leasevet: p/q: a.go:3:1: expected ';'\nleasevet: p/r: gone\n"; out.stderr != want {
		t.Errorf("stderr %q, want %q", out.stderr, want)
	}

	out = call(t, nil, errors.New("no go.mod\nsecond line"))
	if out.status != trouble || out.stderr != "leasevet: no go.mod\n" || out.stdout != "" {
		t.Errorf("no result: %+v", out)
	}
	out = call(t, found(finding.Error), errors.New("half of it"))
	if out.status != trouble || out.stderr != "leasevet: half of it\n" || out.stdout == "" {
		t.Errorf("result and error: %+v", out)
	}
	if out = call(t, nil, nil); out.status != trouble || out.stderr == "" {
		t.Errorf("neither result nor error: %+v", out)
	}
}

func TestPanic(t *testing.T) {
	var stderr bytes.Buffer
	c := &command{stdout: io.Discard, stderr: &stderr, analyse: func(context.Context, driver.Config) (*driver.Result, error) {
		panic("index out of range\nand more")
	}}
	if status := c.run(t.Context(), nil); status != trouble {
		t.Errorf("status %d", status)
	}
	if got := stderr.String(); !strings.HasPrefix(got, "leasevet: internal error: index out of range") || strings.Count(got, "\n") != 1 {
		t.Errorf("stderr %q", got)
	}
}

func TestInterrupted(t *testing.T) {
	for progressed, want := range map[bool]string{
		true:  "leasevet: interrupted: 3 of 10 packages were not analysed\n",
		false: "leasevet: interrupted before any package was analysed\n",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr bytes.Buffer
		c := &command{stdout: io.Discard, stderr: &stderr,
			analyse: func(ctx context.Context, cfg driver.Config) (*driver.Result, error) {
				if progressed {
					cfg.Progress(7, 10)
				}
				cancel()
				return nil, ctx.Err()
			},
		}
		if status := c.run(ctx, nil); status != trouble || stderr.String() != want {
			t.Errorf("status %d, stderr %q, want %q", status, stderr.String(), want)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestLostOutput(t *testing.T) {
	for _, args := range [][]string{{"-json"}, {"./..."}, {"help"}, {"version"}, {"kinds"}, {"kinds", "-json"}} {
		var stderr bytes.Buffer
		c := &command{stdout: brokenWriter{}, stderr: &stderr, analyse: func(context.Context, driver.Config) (*driver.Result, error) {
			return found(), nil
		}}
		if status := c.run(t.Context(), args); status != trouble || stderr.String() != "leasevet: disk full\n" {
			t.Errorf("%v: status %d, stderr %q", args, status, stderr.String())
		}
	}
}

func TestVetProtocol(t *testing.T) {
	for args, want := range map[string]bool{
		"-V=full": true, "-flags": true, "-json dir/vet.cfg": true, "vet.cfg": true,
		"": false, "./...": false, "-json ./...": false, "help": false, "-version": false,
	} {
		called := false
		c := &command{stdout: io.Discard, stderr: io.Discard,
			vet:     func([]string, io.Writer, io.Writer) int { called = true; return 7 },
			analyse: func(context.Context, driver.Config) (*driver.Result, error) { return found(), nil },
		}
		status := c.run(t.Context(), strings.Fields(args))
		if called != want || called && status != 7 {
			t.Errorf("%q: handed over %v, want %v; status %d", args, called, want, status)
		}
	}
}

func TestStatsAndUnknowns(t *testing.T) {
	r := found()
	r.Units = []driver.Unit{
		{ImportPath: "p", Result: kept{reasons: map[string]int{"side map": 2}}},
		{ImportPath: "p", ForTest: "p", Result: kept{reasons: map[string]int{"side map": 3, "a library": 1}}},
		{ImportPath: "q"},
	}
	const list = "4 calls not seen through\n     3  side map\n        3 in p\n     1  a library\n        1 in p\n"
	out := call(t, r, nil, "-stats", "-unknowns")
	if !strings.HasSuffix(out.stdout, list) || !strings.Contains(out.stderr, "unknowns    4 calls\n") {
		t.Errorf("stdout\n%sstderr\n%s", out.stdout, out.stderr)
	}
	out = call(t, r, nil, "-json", "-unknowns")
	if !json.Valid([]byte(out.stdout)) || out.stderr != list {
		t.Errorf("stdout\n%sstderr\n%s", out.stdout, out.stderr)
	}
}

// TestUnusedDirective checks when an ignore is called unused: only by a run that saw a whole module.
func TestUnusedDirective(t *testing.T) {
	module := t.TempDir()
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	src := "package p\n\nfunc f() {\n\ta() //leasevet:ignore no-ttl known\n\ta() //leasevet:ignore long-ttl known\n}\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	unit := driver.Unit{Result: kept{ignores: directive.Ignores(directive.Parse(fset, []*ast.File{file}))}}
	for args, want := range map[string]string{
		"-C " + module:                         "long-ttl no-ttl unused-directive",
		"-C " + module + " ./...":              "long-ttl no-ttl unused-directive",
		"-C " + module + " ./p":                "long-ttl no-ttl",
		"-C " + module + " -tests=false":       "long-ttl no-ttl",
		"-C " + t.TempDir() + " ./...":         "long-ttl no-ttl",
		"-C " + module + " -kinds=no-ttl":      "no-ttl",
		"-C " + module + " -level=error ./...": "no-ttl",
	} {
		r := found(finding.Warning, finding.Error)
		r.Findings[0].Line, r.Findings[1].Line = 3, 4
		r.Units = []driver.Unit{unit, unit}
		out := call(t, r, nil, append([]string{"-json"}, strings.Fields(args)...)...)
		got := shownKinds(t, out.stdout)
		if got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
		r.Coverage.Failed = []driver.Problem{{Package: "q", Reason: "gone"}}
		if got := shownKinds(t, call(t, r, nil, append([]string{"-json"}, strings.Fields(args)...)...).stdout); strings.Contains(got, "unused") {
			t.Errorf("%s: %s, though a package is missing", args, got)
		}
	}
}

// TestIgnoreOfOtherPackage checks that a finding that one package proves is covered by the comment in the package where it
// stands, also in a run that did not see the whole module.
func TestIgnoreOfOtherPackage(t *testing.T) {
	const src = "package p\n\nfunc f() {\n\ta() //leasevet:ignore no-ttl known\n\ta()\n}\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	r := found(finding.Error)
	r.Units = []driver.Unit{
		{ImportPath: "q"},
		{ImportPath: "p", Result: kept{ignores: directive.Ignores(directive.Parse(fset, []*ast.File{file}))}},
	}
	for line, want := range map[int]int{4: clean, 5: findings} {
		r.Findings[0].Line, r.Findings[0].Scope = line, finding.Program
		if out := call(t, r, nil, "./q", "./p"); out.status != want {
			t.Errorf("line %d: status %d, want %d\n%s", line, out.status, want, out.stdout)
		}
	}
}

// TestHelp checks that the help text names every flag and subcommand, and can be asked for in all usual ways.
func TestHelp(t *testing.T) {
	for _, args := range []string{"help", "-h", "-help", "--help", "check -h", "kinds -h", "version -help"} {
		if out := call(t, found(), nil, strings.Fields(args)...); out.status != clean || out.stdout != helpText || out.stderr != "" {
			t.Errorf("%s: status %d, stderr %q", args, out.status, out.stderr)
		}
	}
	checkFlags(&options{}).VisitAll(func(f *flag.Flag) {
		if !strings.Contains(helpText, "\n\t-"+f.Name+" ") {
			t.Errorf("help does not name -%s", f.Name)
		}
	})
	for _, name := range subcommands {
		if !strings.Contains(helpText, "leasevet "+name) {
			t.Errorf("help does not name %s", name)
		}
	}
}

func TestKinds(t *testing.T) {
	out := call(t, nil, nil, "kinds")
	for _, k := range kinds.All() {
		mark := "   "
		if !k.Implemented {
			mark = " * "
		}
		if !strings.Contains(out.stdout, "\n"+mark+k.Name+" ") {
			t.Errorf("no row for %s in\n%s", k.Name, out.stdout)
		}
	}
	out = call(t, nil, nil, "kinds", "-json")
	if out.status != clean || !json.Valid([]byte(out.stdout)) {
		t.Errorf("status %d:\n%s", out.status, out.stdout)
	}
}

func TestVersionText(t *testing.T) {
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{&debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v0.1.0"}}, "leasevet v0.1.0 go1.26.8"},
		{&debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
		}}, "leasevet (unknown version) go1.26.8 revision abc (modified)"},
	} {
		if got := versionText(c.info); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if out := call(t, nil, nil, "version"); out.status != clean || !strings.HasPrefix(out.stdout, "leasevet ") {
		t.Errorf("%+v", out)
	}
	if got := versionText(nil); !strings.HasPrefix(got, "leasevet (unknown version) go") {
		t.Errorf("no build information: %q", got)
	}
}

// TestProgress checks that nothing shows in the first second, and that the line is gone at the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b)
	p.update(1, 9)
	if done, total := p.end(); done != 1 || total != 9 || b.Len() != 0 {
		t.Errorf("%d of %d, shown %q", done, total, b.String())
	}

	p = newProgress(&b)
	p.timer.Stop()
	p.start() // as the timer does
	p.update(1, 9)
	p.shown = time.Now().Add(-time.Minute)
	p.update(2, 9)
	p.update(3, 9)
	p.end()
	p.start() // the timer may still be on its way
	p.update(4, 9)
	want := eraseLine + "leasevet: reading packages" + eraseLine + "leasevet: 2 of 9 packages analysed" + eraseLine
	if b.String() != want {
		t.Errorf("shown %q, want %q", b.String(), want)
	}
}

func TestIsTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for name, w := range map[string]io.Writer{"buffer": &bytes.Buffer{}, "file": file, "null device": null} {
		if (&command{}).isTerminal(w) {
			t.Errorf("a %s is taken for a terminal", name)
		}
	}
}

func TestLookup(t *testing.T) {
	c := &command{env: []string{"A=1", "AB=2", "A=3"}}
	if c.lookup("A") != "3" || c.lookup("AB") != "2" || c.lookup("B") != "" {
		t.Errorf("%q %q %q", c.lookup("A"), c.lookup("AB"), c.lookup("B"))
	}
}
