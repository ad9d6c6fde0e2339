package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, got:\n%s", name, got)
	}
}

// locate is the place of the nth occurrence of a text in a file below testdata/shop, with an absolute file name as
// drivers give it.
func locate(t *testing.T, file, text string) finding.Place {
	t.Helper()
	name, err := filepath.Abs(filepath.Join("testdata", "shop", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := bytes.Cut(data, []byte(text))
	if !ok {
		t.Fatalf("%s has no %q", file, text)
	}
	line := bytes.Count(before, []byte("\n")) + 1
	return finding.Place{File: name, Line: line, Column: len(before) - bytes.LastIndexByte(before, '\n')}
}

// sample has one finding of every shape.
func sample(t *testing.T) Report {
	t.Helper()
	known := "told to operations"
	del := locate(t, "kv/kv.go", "s.rdb.Del")
	gone := filepath.Join(filepath.Dir(filepath.Dir(del.File)), "gone.go")
	return Report{
		Dir: filepath.Join("testdata", "shop"),
		Findings: []finding.Finding{
			{
				Analyzer: "lockttl", Kind: "long-ttl", Level: finding.Warning, Scope: finding.Program,
				Place: locate(t, "settle/settle.go", "s.locks.Lock"), Message: "this lease lasts <5h> & more",
				Package: "example.com/shop/settle", Function: "(*example.com/shop/settle.Service).with",
				Path: []finding.Step{
					{Function: "(*example.com/shop/settle.Service).with", Place: locate(t, "settle/settle.go", "s.locks.Lock")},
					{Function: "(*example.com/shop/kv.Store).Lock", Place: locate(t, "kv/kv.go", "s.rdb.SetNX")},
				},
			},
			{
				Analyzer: "ownercheck", Kind: "ownerless-release", Level: finding.Error, Scope: finding.Unit,
				Place: del, Message: "the key is deleted whoever owns it by now",
				Package: "example.com/shop/kv", Function: "(*example.com/shop/kv.Store).Unlock", Class: "settle:user:{}",
				Related: []finding.Related{{Place: locate(t, "kv/kv.go", "s.rdb.SetNX"), Message: "acquired here"}},
				Path: []finding.Step{
					{Function: "(*example.com/shop/settle.Service).Run", Place: locate(t, "settle/settle.go", "s.with")},
					{Function: "(*example.com/shop/settle.Service).with", Place: locate(t, "settle/settle.go", "s.locks.Unlock")},
				},
				Fixes: []finding.Fix{{
					Message: "delete it with a script that compares", Safe: false,
					Edits: []finding.Edit{{File: del.File, Start: 10, End: 12, NewText: "x"}},
				}},
			},
			{
				Analyzer: "ownercheck", Kind: "ownerless-extend", Level: finding.Error, Scope: finding.Unit,
				Place: locate(t, "kv/kv.go", `"정산:"`), Message: "prolonged\nwithout a check",
				Package: "example.com/shop/kv",
			},
			{
				Analyzer: "lockapi", Kind: "library-misuse", Rule: "redsync-shared-mutex", Level: finding.Note,
				Scope: finding.Unit, Place: finding.Place{File: gone, Line: 7, Column: 3}, Message: "shared",
				Package: "example.com/shop",
			},
			{
				Analyzer: "lockttl", Kind: "no-ttl", Level: finding.Error, Scope: finding.Unit,
				Place: locate(t, "kv/kv.go", "return s.rdb.SetNX"), Message: "no TTL", Suppressed: &known,
				Package: "example.com/shop/kv",
			},
		},
		Coverage: Coverage{
			Packages: 17, Analysed: 16, Irrelevant: 12, Unknowns: 3,
			Failed: []Problem{{"example.com/shop/z", gone + ":3:1: expected ';'"}, {"example.com/shop/a", "no files"}},
		},
	}
}

func render(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func text(t *testing.T, r Report, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	golden(t, "report.json", render(t, sample(t)))
	golden(t, "report.txt", text(t, sample(t), TextOptions{Width: 80, Hidden: 2}))
	golden(t, "narrow.txt", text(t, sample(t), TextOptions{Width: 1}))
	golden(t, "color.txt", text(t, sample(t), TextOptions{Color: true}))
}

func TestSameBytes(t *testing.T) {
	want := render(t, sample(t))
	r := sample(t)
	slices.Reverse(r.Findings)
	slices.Reverse(r.Coverage.Failed)
	if got := render(t, r); got != want {
		t.Errorf("the order of the input shows:\n%s", got)
	}
}

// TestEmpty checks that a report without anything has no null in it but for what may be null.
func TestEmpty(t *testing.T) {
	r := Report{Dir: t.TempDir(), Findings: []finding.Finding{{Kind: "no-ttl", Fixes: []finding.Fix{{Message: "m"}}}}}
	got := render(t, r)
	if strings.Count(got, "null") != 1 || !strings.Contains(got, `"suppressed": null`) {
		t.Errorf("null where a list should be:\n%s", got)
	}
	if got := render(t, Report{}); strings.Contains(got, "null") || !strings.HasSuffix(got, "}\n") {
		t.Errorf("empty report:\n%s", got)
	}
	if !json.Valid([]byte(got)) {
		t.Error("no JSON")
	}
}

// TestInputStays checks that rendering leaves the caller's findings alone.
func TestInputStays(t *testing.T) {
	r := sample(t)
	render(t, r)
	for _, f := range r.Findings {
		places := []finding.Place{f.Place}
		for _, x := range f.Related {
			places = append(places, x.Place)
		}
		for _, x := range f.Path {
			places = append(places, x.Place)
		}
		for _, p := range places {
			if !filepath.IsAbs(p.File) {
				t.Errorf("%s: a path of the input was made relative: %s", f.Kind, p.File)
			}
		}
	}
}

func TestRel(t *testing.T) {
	root := t.TempDir()
	real := filepath.Join(root, "real")
	if err := os.Mkdir(real, 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, c := range []struct{ dir, file, want string }{
		{real, filepath.Join(real, "a", "b.go"), "a/b.go"},
		{link, filepath.Join(link, "b.go"), "b.go"},
		{link, filepath.Join(real, "b.go"), "b.go"},
		{real, filepath.Join(root, "b.go"), "../b.go"},
		{real, "c/d.go", "c/d.go"},
	} {
		if got := newBase(c.dir).rel(c.file); got != c.want {
			t.Errorf("%s seen from %s: %s, want %s", c.file, c.dir, got, c.want)
		}
	}
}

func TestVetMessage(t *testing.T) {
	var got strings.Builder
	for _, f := range sample(t).Findings {
		got.WriteString(VetMessage(f) + "\n")
	}
	golden(t, "vet.txt", got.String())
}

// TestLongPath checks that a call path is cut, and does not wander off the screen.
func TestLongPath(t *testing.T) {
	f := finding.Finding{Kind: "k", Level: finding.Error, Place: finding.Place{File: "a.go", Line: 1}}
	for i := range 30 {
		f.Path = append(f.Path, finding.Step{Function: "p.f", Place: finding.Place{File: "b.go", Line: i + 1}})
	}
	got := text(t, Report{Findings: []finding.Finding{f}}, TextOptions{})
	if n := strings.Count(got, "called from p.f"); n != maxSteps-1 || !strings.Contains(got, "... 19 more steps\n") {
		t.Errorf("%d steps:\n%s", n, got)
	}
	if strings.Contains(got, strings.Repeat("  ", maxIndent+2)) {
		t.Errorf("too far to the right:\n%s", got)
	}
	f.Path = f.Path[:maxSteps]
	if got := text(t, Report{Findings: []finding.Finding{f}}, TextOptions{}); strings.Contains(got, "...") {
		t.Errorf("a path of %d steps is cut:\n%s", maxSteps, got)
	}
}

func TestShortName(t *testing.T) {
	for full, want := range map[string]string{
		"example.com/shop/kv.Get":                          "kv.Get",
		"(*example.com/shop/kv.Store).Get":                 "(*kv.Store).Get",
		"example.com/shop/kv.Get$1":                        "kv.Get$1",
		"(*a.b/c.T[example.com/x/y.K,map[string]d/e.V]).M": "(*c.T[y.K,map[string]e.V]).M",
		"main.main": "main.main",
		"":          "",
	} {
		if got := shortName(full); got != want {
			t.Errorf("%s: %s, want %s", full, got, want)
		}
	}
}

func TestSummary(t *testing.T) {
	one := []finding.Finding{{Level: finding.Error, Package: "p"}}
	for _, c := range []struct {
		findings []finding.Finding
		coverage Coverage
		want     string
	}{
		{nil, Coverage{Analysed: 3, Irrelevant: 2}, "no findings; 1 package analysed, 2 irrelevant"},
		{one, Coverage{Analysed: 17, Irrelevant: 12}, "1 error in 1 package; 5 packages analysed, 12 irrelevant"},
		{one, Coverage{Partial: make([]Problem, 1), Failed: make([]Problem, 2)},
			"1 error in 1 package; 0 packages analysed, 0 irrelevant, 1 only in part, 2 failed"},
	} {
		if got := Summary(Report{Findings: c.findings, Coverage: c.coverage}, 0); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestKindsJSON(t *testing.T) {
	var b bytes.Buffer
	if err := KindsJSON(&b, kinds.All()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Version int
		Kinds   []struct{ Kind, Analyzer, URL string }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != 1 || len(got.Kinds) != len(kinds.All()) {
		t.Errorf("version %d, %d kinds", got.Version, len(got.Kinds))
	}
	if k := got.Kinds[0]; !strings.HasSuffix(k.URL, "/docs/kinds/"+k.Kind+".md") {
		t.Errorf("url %s", k.URL)
	}
}
