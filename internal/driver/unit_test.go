package driver

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// fill gives every field of v a value, none of them its zero value.
func fill(v reflect.Value, r *rand.Rand, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"a", "m/p.F", "bytes \xff\xfe\x00", "ü"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.IntN(200) - 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(1 + r.IntN(100)))
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), r, depth-1)
			fill(v.Index(1), r, depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r, depth)
		}
	}
}

func someFacts(seed uint64) Facts {
	var f Facts
	fill(reflect.ValueOf(&f).Elem(), rand.New(rand.NewPCG(seed, 1)), 4)
	f.Packages[0].Path, f.Packages[1].Path = "a", "b"
	return f
}

func TestFactsRoundTrip(t *testing.T) {
	for seed := range uint64(5) {
		f := someFacts(seed)
		data, err := EncodeFacts(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeFacts(data)
		if err != nil || !reflect.DeepEqual(got, f) {
			t.Fatalf("decoded facts differ: %v", err)
		}
		again, err := EncodeFacts(got)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("encoding is not the same every time: %v", err)
		}
		slices.Reverse(got.Packages)
		again, err = EncodeFacts(got)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("encoding depends on the order of packages: %v", err)
		}
	}
	if data, err := EncodeFacts(Facts{}); err != nil || len(data) != 0 {
		t.Errorf("no facts are %d bytes, %v", len(data), err)
	}
}

// TestFactsDamaged checks that no damage makes decoding panic or ask for much memory, and that none passes silently
// where bytes are missing.
func TestFactsDamaged(t *testing.T) {
	data, err := EncodeFacts(someFacts(1))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(data); n += 7 {
		if _, err := DecodeFacts(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are accepted", n, len(data))
		}
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0xff
		DecodeFacts(bad)
	}
	if _, err := DecodeFacts([]byte("leasevet facts 0 0\n")); err == nil {
		t.Error("facts of another version are accepted")
	}
}

func TestFactKey(t *testing.T) {
	a := &lockfacts.Fact{Funcs: []lockfacts.Summary{{Name: "f"}}}
	b := &lockfacts.Fact{Funcs: []lockfacts.Summary{{Name: "f", NoReturn: true}}}
	if factKey(a) == factKey(b) || factKey(a) != factKey(&lockfacts.Fact{Funcs: slices.Clone(a.Funcs)}) {
		t.Error("keys do not tell facts apart")
	}
	if factKey((*lockfacts.Fact)(nil)) != "" {
		t.Error("no fact has a key")
	}
}

func TestExportVersion(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"!<arch>\n__.PKGDEF   0\ngo object linux amd64 go1.99.2 GOAMD64=v1\nbuild id": "go1.99.2",
		"go object": "",
		"":          "",
	} {
		name := filepath.Join(dir, "export")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := exportVersion(name); got != want {
			t.Errorf("version of %q is %q", text, got)
		}
		err := exportError(name, errors.New("other"))
		if rebuild := (*RebuildError)(nil); errors.As(err, &rebuild) != (want != "") {
			t.Errorf("error for %q is %v", text, err)
		}
	}
	if newer(runtime.Version()) || newer("go1.20") || newer("") || newer("devel") || !newer("go1.99") {
		t.Error("newer does not order versions")
	}
}

func TestRebuildHint(t *testing.T) {
	if got := rebuildHint([]string{"a.go:1:1: odd"}, "go1.99.1"); len(got) != 1 ||
		!strings.HasPrefix(got[0], "rebuild leasevet with go1.99.1") {
		t.Errorf("hint is %q", got)
	}
	if got := rebuildHint([]string{"a.go:1:1: odd"}, runtime.Version()); got[0] != "a.go:1:1: odd" {
		t.Errorf("a problem of the package became %q", got)
	}
	if got := rebuildHint([]string{"a.go:1:1: could not import x (rebuild leasevet with go1.99.1)"}, "", "go1.99.1"); len(got) != 1 ||
		got[0] != "rebuild leasevet with go1.99.1" {
		t.Errorf("the same said twice: %q", got)
	}
	if got := rebuildHint(nil, "go1.99.1"); got != nil {
		t.Errorf("no problem became %q", got)
	}
}

// TestPrune checks which bodies are left of a broken package.
func TestPrune(t *testing.T) {
	const text = `package p

import "none"

type Bad struct{ x none.T }

func Good(n int) int { for { if n > 0 { break }; n++ }; return len("x") + n }
func Undefined() { missing() }
func Silent() { none.F() }
func Uses(b Bad) {}
func Inside() { var b *Bad; _ = b }
func Generic[T any](x T) T { return x }
func Calls() int { goto end; end: return Generic(Good(1)) }

var good = Good(1)
var bad = none.V
`
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	src := &source{
		path: "p", fset: token.NewFileSet(), sizes: sizesFor("amd64"), names: []string{name, name + ".gone"}, bodies: true,
		importer: importer.Default(),
	}
	c := src.check()
	c.prune()
	var left []string
	for _, d := range c.files[0].Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			left = append(left, fn.Name.Name)
		}
	}
	if want := []string{"Good", "Generic", "Calls"}; !slices.Equal(left, want) {
		t.Errorf("bodies left: %q, want %q", left, want)
	}
	if len(c.info.InitOrder) != 1 {
		t.Errorf("%d initial values left, want 1", len(c.info.InitOrder))
	}
	if !slices.ContainsFunc(c.problems, func(s string) bool {
		return strings.HasPrefix(s, name+".gone: cannot be read: ")
	}) {
		t.Errorf("the file that is gone is not among the problems: %q", c.problems)
	}
	files := len(c.files)
	c.free()
	if pos := c.fset.Position(c.files[files-1].Package); pos.IsValid() {
		t.Errorf("the file set still knows %v", pos)
	}
}

func TestSafeFixes(t *testing.T) {
	text := "one\ntwo\nthree\nfour\n"
	read := func(string) ([]byte, error) { return []byte(text), nil }
	fix := func(safe bool, edits ...finding.Edit) finding.Finding {
		return finding.Finding{Fixes: []finding.Fix{{Safe: safe, Edits: edits}}}
	}
	at := func(start, end int, text string) finding.Edit {
		return finding.Edit{File: "f", Start: start, End: end, NewText: text}
	}
	changes, err := SafeFixes([]finding.Finding{
		fix(true, at(4, 7, "TWO\n2"), at(14, 18, "FOUR")),
		fix(true, at(14, 18, "FOUR"), at(0, 3, "ONE")), // shares an edit
		fix(true, at(16, 17, "x"), at(8, 9, "x")),      // touches another: not even the half that would fit
		fix(false, at(8, 13, "x")),
	}, read)
	if err != nil || len(changes) != 1 {
		t.Fatal(err, changes)
	}
	if got, want := string(changes[0].After), "ONE\nTWO\n2\nthree\nFOUR\n"; got != want {
		t.Errorf("fixed to %q, want %q", got, want)
	}
	want := "--- f (old)\n+++ f (new)\n@@ -1,1 +1,1 @@\n-one\n+ONE\n@@ -2,1 +2,2 @@\n-two\n+TWO\n+2\n" +
		"@@ -4,1 +5,1 @@\n-four\n+FOUR\n"
	if got := changes[0].Diff(); got != want {
		t.Errorf("diff is\n%s\nwant\n%s", got, want)
	}
	if _, err := SafeFixes([]finding.Finding{fix(true, at(10, 99, "x"))}, read); err == nil {
		t.Error("a fix beyond the end of the file is applied")
	}
}

// TestEngine checks that a failing analyzer takes with it what needs its result, and nothing else.
func TestEngine(t *testing.T) {
	analyzer := func(name string, run func(*analysis.Pass) (any, error), requires ...*analysis.Analyzer) *analysis.Analyzer {
		return &analysis.Analyzer{
			Name: name, Doc: name, Run: run, Requires: requires, ResultType: reflect.TypeFor[[]finding.Finding](),
		}
	}
	found := func(pass *analysis.Pass) (any, error) { return []finding.Finding{{Kind: pass.Analyzer.Name}}, nil }
	good := analyzer("good", found)
	panics := analyzer("panics", func(*analysis.Pass) (any, error) { var m map[string]int; m["x"]++; return nil, nil }, good)
	fails := analyzer("fails", func(*analysis.Pass) (any, error) { return nil, errors.New("no luck\nat all") })
	runner, err := NewPassRunner([]*analysis.Analyzer{
		analyzer("above", found, panics), panics, fails, analyzer("also", found, good),
	})
	if err != nil {
		t.Fatal(err)
	}
	out := runner.run(&passInput{checked: &checked{fset: token.NewFileSet(), pkg: types.NewPackage("p", "p")}})
	var kinds []string
	for _, f := range out.findings {
		kinds = append(kinds, f.Analyzer)
	}
	if want := []string{"good", "also"}; !slices.Equal(kinds, want) {
		t.Errorf("findings of %q, want %q", kinds, want)
	}
	want := []string{"internal error: panics: assignment to entry in nil map", "fails: no luck"}
	if !slices.Equal(out.failed, want) {
		t.Errorf("failed: %q, want %q", out.failed, want)
	}
	if len(runner.FactsOnly().order) != 0 {
		t.Error("analyzers without facts are run for facts")
	}
}

// TestSameEveryTime runs a module several times, with one worker and with many, and compares everything.
func TestSameEveryTime(t *testing.T) {
	t.Parallel()
	m := loadModule(t, "testdata/link.txtar")
	var first *Result
	for _, parallel := range []int{1, 8, 3} {
		cfg := m.config()
		cfg.Parallel = parallel
		last := 0
		cfg.Progress = func(done, total int) {
			if done > total || done < 1 {
				t.Errorf("progress says %d of %d", done, total)
			}
			last = done
		}
		cfg.Keep = func(path string, _ map[*analysis.Analyzer]any) any { return path }
		res, err := Run(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if last == 0 {
			t.Error("no progress was shown")
		}
		for _, u := range res.Units {
			if u.Result != u.ImportPath {
				t.Errorf("%s keeps %v", u.ImportPath, u.Result)
			}
		}
		if first == nil {
			first = res
		}
		if !reflect.DeepEqual(res.Findings, first.Findings) || !reflect.DeepEqual(res.Units, first.Units) ||
			!reflect.DeepEqual(res.Coverage, first.Coverage) {
			t.Errorf("with %d workers the result is another one", parallel)
		}
	}
	if first.Stats.Rounds < 2 || first.Stats.Runs <= first.Stats.Units {
		t.Errorf("the link did not make anything run again: %+v", first.Stats)
	}
}

// TestRounds checks that a link that always knows something new is not asked for ever.
func TestRounds(t *testing.T) {
	t.Parallel()
	m := loadModule(t, "testdata/basic.txtar")
	cfg := m.config()
	asked := 0
	cfg.Link = func([]Unit) map[string]*lockfacts.Program {
		asked++
		return map[string]*lockfacts.Program{
			"m/svc":         {Funcs: make([]lockfacts.Summary, asked)},
			"database/sql":  {Funcs: make([]lockfacts.Summary, asked)},
			"no/such/thing": {},
		}
	}
	res, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if asked != maxRounds || res.Stats.Rounds != maxRounds {
		t.Errorf("the link was asked %d times", asked)
	}
	if got := m.show(res.Findings); !slices.Equal(got, m.want) {
		t.Errorf("findings changed: %q", got)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	m := loadModule(t, "testdata/basic.txtar")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, m.config()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	cfg := m.config()
	cfg.Progress = func(int, int) { cancel() } // during the first round
	start := time.Now()
	_, err := Run(ctx, cfg)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "interrupted") {
		t.Errorf("cancelled meanwhile: %v", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("stopping took %v", took)
	}
}

func TestBadConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		filepath.Join(t.TempDir(), "none"): "no such directory",
		file:                               "not a directory",
	} {
		_, err := Run(t.Context(), Config{Dir: dir, Clients: probeClients, Analyzers: probeAnalyzers})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := Run(t.Context(), Config{Dir: t.TempDir()}); err == nil {
		t.Error("a run without a client predicate is accepted")
	}
}

func TestChunk(t *testing.T) {
	args := []string{"aaaa", "bbbb", "cccc"}
	for most, want := range map[int]int{1: 1, 5: 1, 9: 1, 10: 2, 15: 3, 100: 3} {
		if got := chunk(args, most); got != want {
			t.Errorf("%d bytes hold %d, want %d", most, got, want)
		}
	}
}
