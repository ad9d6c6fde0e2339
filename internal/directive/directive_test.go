package directive

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
)

// parseSource parses one file and its directives.
func parseSource(t *testing.T, src string) (*token.FileSet, []*ast.File, []Directive) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{file}
	return fset, files, Parse(fset, files)
}

// only is the single directive of a source.
func only(t *testing.T, src string) Directive {
	t.Helper()
	_, _, dirs := parseSource(t, src)
	if len(dirs) != 1 {
		t.Fatalf("%d directives, want 1:\n%s", len(dirs), src)
	}
	return dirs[0]
}

// TestTargets checks the lines that an ignore covers. A line that it should cover ends in "// +".
func TestTargets(t *testing.T) {
	const d = "//leasevet:ignore self-call known"
	for name, body := range map[string]string{
		"end of a line":              "a()\nb() " + d + " // +\nc()",
		"above a statement":          d + "\nb() // +\nc()",
		"above, blank line between":  d + "\n\nb() // +\nc()",
		"above, comment between":     d + "\n// why\nb() // +\nc()",
		"two above one":              d + "\n" + "// x\nb() // +",
		"above a call of many lines": d + "\nb( // +\n1, // +\n2) // +\nc()",
		"above a closure":            d + "\nb(func() { // +\na() // +\n}) // +\nc()",
		"above a loop":               d + "\nfor { // +\na() // +\n} // +\nc()",
		"behind a loop's head":       "for { " + d + " // +\na()\n}\nc()",
		"behind a loop's brace":      "for {\na()\n} " + d + " // +\nc()",
		"behind a call of lines":     "b( // +\n1, // +\n2) " + d + " // +\nc()",
		"inside a call of lines":     "b(1, " + d + " // +\n2)\nc()",
		"behind a deferred closure":  "defer func() { // +\na() // +\n}() " + d + " // +\nc()",
		"inside a closure":           "b(func() {\na()\nc() " + d + " // +\n})",
		"above an argument":          "b(\n" + d + "\n1, // +\n2)\nc()",
		"first in a case":            "switch {\ncase true:\n" + d + "\na() // +\nb()\n}",
		"behind else":                "if x {\na()\n} else { " + d + " // +\nb()\n}",
		"above the last of two":      "{\n" + d + "\na() // +\n}\nb()",
		"behind an assignment":       "x := b( // +\n1) " + d + " // +\n_ = x",
		"above a local declaration":  d + "\nvar y = b( // +\n1) // +\n_ = y",
	} {
		t.Run(name, func(t *testing.T) {
			src := "package p\n\nfunc f() {\n" + body + "\n}\n"
			got := only(t, src)
			if got.Problem != "" {
				t.Fatalf("problem: %s", got.Problem)
			}
			for i, text := range strings.Split(src, "\n") {
				want := strings.HasSuffix(text, "// +")
				if covers := got.Target.covers("a.go", i+1); covers != want {
					t.Errorf("line %d covered: %v, want %v: %s", i+1, covers, want, text)
				}
			}
		})
	}
}

func TestTargetKinds(t *testing.T) {
	const d = "//leasevet:x"
	for src, want := range map[string]TargetKind{
		d + "\npackage p": Package,
		"// Package p is p.\n//\n" + d + "\npackage p\n":                         Package,
		"package p\n" + d + "\n":                                                 Nothing,
		"package p\n\n// F is.\n//\n" + d + "\nfunc F() {}":                      Function,
		"package p\n\n" + d + "\nfunc (t T) F() {}":                              Function,
		"package p\n\ntype I interface {\n// F is.\n" + d + "\nF(key string)\n}": Method,
		"package p\n\ntype I interface {\nG()\n" + d + "\nF()\nH()\n}":           Method,
		"package p\n\ntype I interface {\n" + d + "\nio.Reader\n}":               Declaration,
		"package p\n\ntype S struct {\n" + d + "\nF func()\n}":                   Declaration,
		"package p\n\n" + d + "\ntype S struct{}":                                Declaration,
		"package p\n\nconst (\n" + d + "\nA = 1\n)":                              Declaration,
		"package p\n\nfunc F() {\n" + d + "\n}":                                  Nothing,
		"package p\n\nfunc F() {\na()\n" + d + "\n}\n\nfunc G() {}":              Nothing,
		"package p " + d:                             Line,
		"package p\n\nfunc F() { " + d + "\n}":       Line,
		"package p\n\nfunc F() {\n" + d + "\na()\n}": Code,
	} {
		if got := only(t, src).Target.Kind; got != want {
			t.Errorf("stands above %q, want %q:\n%s", got, want, src)
		}
	}
}

func TestContents(t *testing.T) {
	d := only(t, "package p\n\nfunc f() {\n\ta() //leasevet:ignore self-call,library-misuse/redsync-shared  known  and\tmeant // for others\n}")
	if got := fmt.Sprint(d.Kinds); got != "[self-call library-misuse/redsync-shared]" {
		t.Errorf("kinds %s", got)
	}
	if d.Reason != "known and meant" {
		t.Errorf("reason %q", d.Reason)
	}
	if d.Place != (finding.Place{File: "a.go", Line: 4, Column: 6}) {
		t.Errorf("place %v", d.Place)
	}

	d = only(t, "package p\n\n//leasevet:guardedby settle:user:{id} the balance is read first\nfunc f(id int) {}")
	if d.Class != "settle:user:{id}" || d.Reason != "the balance is read first" || d.Problem != "" {
		t.Errorf("%+v", d)
	}

	d = only(t, "package p\n\n//leasevet:acquire key=k owner=o.token ttl=30s the script is in a file\nfunc f(k string, o opts) {}")
	key, _ := d.Get("key")
	owner, _ := d.Get("owner")
	ttl, _ := d.Get("ttl")
	if key != "k" || owner != "o.token" || ttl != "30s" || d.Reason != "the script is in a file" || d.Problem != "" {
		t.Errorf("%+v", d)
	}
	if _, found := d.Get("fn"); found {
		t.Error("an operand that is not given is found")
	}
}

// TestProblems checks what is malformed, by a piece of what is said about it; "" is right.
func TestProblems(t *testing.T) {
	const fn = "\nfunc (r *R) f(ctx C, key string, ttl D, fn func(), _ int) {}"
	for src, want := range map[string]string{
		"//leasevet:ignore self-call":                   "reason is missing",
		"//leasevet:ignore self-call // want":           "reason is missing",
		"//leasevet:ignore":                             "names no kind",
		"//leasevet:ignore self-cal known":              `did you mean "self-call"?`,
		"//leasevet:ignore nonsense known":              `unknown kind "nonsense"`,
		"//leasevet:ignore self-call, no-ttl known":     "separate them by commas",
		"//leasevet:ignore library-misuse/ known":       "separate them by commas",
		"//leasevet:ignore unused-directive known":      "cannot be ignored",
		"//leasevet:ignore polling-wait known":          "",
		"//leasevet:ignore self-call known":             "",
		"//leasevet:ignor self-call known":              `did you mean "ignore"?`,
		"//leasevet:":                                   "names no directive",
		"// leasevet:ignore self-call known":            "a space before",
		"/*leasevet:ignore self-call known*/":           "has to be a // comment",
		"//leasevet:guardedby a:{}":                     "reason is missing",
		"//leasevet:guardedby":                          "lock class is missing",
		"//leasevet:guardedby a:{kee} known":            `did you mean "key"?`,
		"//leasevet:guardedby a:{r.id}:{key}:{} known":  "",
		"//leasevet:guardedby a:{key known":             "braces",
		"//leasevet:guardedby a:{{key} known":           "braces",
		"//leasevet:guardedby a:{_} known":              "unknown parameter",
		"//leasevet:guardedby a:key} known":             "braces",
		"//leasevet:external-only":                      "reason is missing",
		"//leasevet:external-only known":                "",
		"//leasevet:nolock known":                       "cannot stand above a function",
		"//leasevet:acquire key=key owner=r.id ttl=ttl": "",
		"//leasevet:acquire key=key ttl=30s":            "",
		"//leasevet:acquire key=key ttl=-30s":           "unknown parameter",
		"//leasevet:acquire key=0":                      "unknown parameter",
		"//leasevet:acquire key=token":                  `unknown parameter "token"`,
		"//leasevet:acquire ttl=ttl":                    "key= is missing",
		"//leasevet:acquire key=":                       "names no parameter",
		"//leasevet:acquire key=key key=key":            "given twice",
		"//leasevet:acquire key=key fn=fn":              "unknown operand",
		"//leasevet:release key=key":                    "",
		"//leasevet:release key=key ttl=ttl":            "unknown operand",
		"//leasevet:extend key=key owner=r ttl=ttl":     "",
		"//leasevet:runs fn=fn key=key":                 "",
		"//leasevet:runs key=key":                       "fn= is missing",
	} {
		got := only(t, "package p\n\n"+src+fn).Problem
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\n\tproblem %q, want %q", src, got, want)
		}
	}
}

// TestMisplaced checks directives that stand where they say nothing.
func TestMisplaced(t *testing.T) {
	for src, want := range map[string]string{
		"package p\n\nfunc f() {\n//leasevet:guardedby a known\na()\n}":             "cannot stand above a statement",
		"package p\n\nfunc f() {\na()\n//leasevet:ignore no-ttl known\n}":           "cannot stand above nothing",
		"//leasevet:ignore no-ttl known\npackage p":                                 "cannot stand above the package clause",
		"//leasevet:nolock one instance\npackage p":                                 "",
		"package p\n\ntype I interface {\n//leasevet:release key=k\nF(string)\n}":   `unknown parameter "k"`,
		"package p\n\ntype I interface {\n//leasevet:release key=k\nF(k string)\n}": "",
	} {
		got := only(t, src).Problem
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\n\tproblem %q, want %q", src, got, want)
		}
	}
}

func TestNoDirectives(t *testing.T) {
	for _, comment := range []string{
		"// A comment that leasevet:ignore is spoken of in.",
		"// leasevet: a linter",
		"//nolint:leasevet // known",
		"//\t//leasevet:ignore self-call known",
		"//go:generate leasevet:ignore",
	} {
		if _, _, dirs := parseSource(t, "package p\n\n"+comment+"\nfunc f() {}"); len(dirs) != 0 {
			t.Errorf("%q is taken for a directive: %+v", comment, dirs)
		}
	}
}

// filterSource has directives that cover findings of these tests, one that is malformed, and one for the whole of g.
const filterSource = `package p

type T struct{}

func (t *T) f() {
	a() //leasevet:ignore self-call known
	//leasevet:ignore no-ttl,long-ttl crash is handled
	a(
		1)
	//leasevet:ignore library-misuse/one only this
	a()
	b() //leasevet:ignore self-call
}

//leasevet:ignore self-call,unlocked-path the whole function
func g() { a() }
`

func at(line int, kind, rule string) finding.Finding {
	return finding.Finding{Kind: kind, Rule: rule, Place: finding.Place{File: "a.go", Line: line, Column: 2}}
}

// rows prints findings one per line: line, kind, reason, function.
func rows(all []finding.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%d %s", f.Line, f.Kind)
		if f.Suppressed != nil {
			fmt.Fprintf(&b, " %q", *f.Suppressed)
		}
		if f.Function != "" {
			b.WriteString(" " + f.Function)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestFilter(t *testing.T) {
	fset, files, _ := parseSource(t, filterSource)
	given := []finding.Finding{
		at(6, "self-call", ""), at(6, "no-ttl", ""), at(9, "no-ttl", ""),
		at(11, "library-misuse", "one"), at(11, "library-misuse", "two"), at(12, "self-call", ""),
	}
	want := `6 self-call "known"
6 no-ttl
9 no-ttl "crash is handled"
11 library-misuse "only this"
11 library-misuse
12 self-call
`
	if got := rows(Filter(fset, files, given)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if given[0].Suppressed != nil {
		t.Error("the findings given were changed")
	}
}

// TestFirstReason checks that of two ignores of one finding the first one's reason is told, and that both are used.
func TestFirstReason(t *testing.T) {
	src := "package p\n\n//leasevet:ignore no-ttl the whole function\nfunc f() {\n\ta() //leasevet:ignore no-ttl this line\n}\n"
	_, _, dirs := parseSource(t, src)
	got := Apply(dirs, []finding.Finding{at(5, "no-ttl", "")})
	if want := "5 no-ttl \"the whole function\"\n"; rows(got) != want {
		t.Errorf("got %swant %s", rows(got), want)
	}
	if unused := Unused(dirs, got); len(unused) != 0 {
		t.Errorf("unused: %s", rows(unused))
	}
}

// TestStatementOfTwoFiles checks that a statement that begins in another file, as generated code says, is not counted
// by lines of both.
func TestStatementOfTwoFiles(t *testing.T) {
	src := "package p\n\nfunc f() {\n//line b.tmpl:1\na(\n//line c.tmpl:40\n1) //leasevet:ignore no-ttl known\n}\n"
	if d := only(t, src); d.Target.First != 40 || d.Target.Last != 40 || d.Target.File != "c.tmpl" {
		t.Errorf("covers %+v", d.Target)
	}
}

// TestAnalyzer runs the pass and the analyzer as a driver does.
func TestAnalyzer(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{Analyzer}); err != nil {
		t.Fatal(err)
	}
	fset, files, _ := parseSource(t, filterSource)
	var diagnostics []string
	pass := &analysis.Pass{
		Fset: fset, Files: files, Pkg: types.NewPackage("x/p", "p"), ResultOf: map[*analysis.Analyzer]any{},
		Report: func(d analysis.Diagnostic) {
			diagnostics = append(diagnostics, fmt.Sprintf("%s %s", fset.Position(d.Pos), d.Message))
		},
	}
	dirs, err := Reader.Run(pass)
	if err != nil {
		t.Fatal(err)
	}
	pass.ResultOf[Reader] = dirs
	result, err := Analyzer.Run(pass)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rows(result.([]finding.Finding)), "12 bad-directive (*x/p.T).f\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	want := "a.go:12:6 bad-directive: this directive has no effect: the reason is missing; " +
		"write //leasevet:ignore KIND[,KIND/RULE] reason"
	if len(diagnostics) != 1 || diagnostics[0] != want {
		t.Errorf("diagnostics %q, want %q", diagnostics, want)
	}

	ignores := Ignores(dirs.([]Directive))
	if len(ignores) != 4 {
		t.Errorf("%d ignores, want the 4 that are well-formed", len(ignores))
	}
	for _, d := range ignores {
		if d.Target.Node != nil {
			t.Errorf("the ignore on line %d holds on to syntax", d.Place.Line)
		}
	}
	unused := Unused(ignores, []finding.Finding{at(6, "self-call", ""), at(9, "no-ttl", "")})
	if got, want := rows(unused), "7 unused-directive (*x/p.T).f\n10 unused-directive (*x/p.T).f\n15 unused-directive x/p.g\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestUnusedMessage(t *testing.T) {
	_, _, dirs := parseSource(t, filterSource)
	var got []string
	for _, f := range Unused(dirs, []finding.Finding{at(8, "no-ttl", "")}) {
		got = append(got, f.Message)
	}
	want := []string{
		"nothing on line 6 is reported as self-call; remove the comment",
		"nothing on lines 8 to 9 is reported as long-ttl; take it out of the list",
		"nothing on line 11 is reported as library-misuse/one; remove the comment",
		"nothing on line 16 is reported as self-call; take it out of the list",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFunctionNames checks the name of the function around a directive.
func TestFunctionNames(t *testing.T) {
	for recv, want := range map[string]string{
		"":           "x/p.f",
		"(t T) ":     "(x/p.T).f",
		"(t *T) ":    "(*x/p.T).f",
		"(t *T[K]) ": "(*x/p.T).f",
		"(T[K, V]) ": "(x/p.T).f",
	} {
		d := only(t, "package p\n\nfunc "+recv+"f() {\na() //leasevet:ignore x\n}")
		if got := d.function.in("x/p"); got != want {
			t.Errorf("%q: %s, want %s", recv, got, want)
		}
	}
	d := only(t, "package p\n\ntype I interface {\n//leasevet:ignore x\nF()\n}")
	if got := d.function.in("x/p"); got != "(x/p.I).F" {
		t.Errorf("interface method: %s", got)
	}
}

// TestLineComments checks that lines are counted as the compiler reports them, in code generated from another file.
func TestLineComments(t *testing.T) {
	src := "package p\n\nfunc f() {\n//line b.tmpl:40\na() //leasevet:ignore self-call known\n}\n"
	d := only(t, src)
	if !d.Target.covers("b.tmpl", 40) || d.Target.covers("a.go", 5) {
		t.Errorf("covers %+v", d.Target)
	}
}
