package analyzers_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/analyzers"
	"github.com/leasevet/leasevet/analyzers/internal/proggen"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/onepkg"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// FuzzEngine makes programs and checks what is found in them: nothing of level error in one that is right, the fault in
// one that has one, the same twice.
func FuzzEngine(f *testing.F) {
	e := newEngine(f)
	f.Add([]byte{})
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		data := make([]byte, 10+r.IntN(90))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := proggen.Make(data)
		once, again := e.run(t, p), e.run(t, p)
		if !reflect.DeepEqual(once, again) {
			t.Errorf("two runs differ:\n%+v\n%+v\n%s", once, again, p.Text)
		}
		check(t, p, once.findings)
	})
}

// engine analyses programs.
type engine struct {
	libs   *onepkg.Libraries
	runner *driver.PassRunner
}

func newEngine(t testing.TB) *engine {
	t.Helper()
	runner, err := driver.NewPassRunner(analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	return &engine{libraries(t), runner}
}

// verdict is all that an analysis says.
type verdict struct {
	findings []finding.Finding
	fact     []byte
	unknowns map[string]int
}

func (e *engine) run(t *testing.T, p proggen.Program) verdict {
	t.Helper()
	pkg, err := e.libs.Check("p", p.Text)
	if err != nil {
		t.Fatalf("the program is wrong: %v\n%s", err, numberedLines(p.Text))
	}
	if len(pkg.Errors) > 0 {
		t.Fatalf("the program is wrong: %v\n%s", pkg.Errors, numberedLines(p.Text))
	}
	defer pkg.Free()
	out := e.runner.Single(pkg.Single)
	if len(out.Failed) > 0 {
		t.Fatalf("%v\n%s", out.Failed, p.Text)
	}
	v := verdict{findings: out.Findings}
	facts := out.Results[lockfacts.Analyzer].(*lockfacts.Result)
	v.unknowns = facts.Unknowns
	v.fact, err = driver.EncodeFacts(driver.Facts{Packages: []driver.PackageFact{{Path: "p", Fact: *facts.Fact}}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// check holds the findings against what the generator put into the program.
func check(t *testing.T, p proggen.Program, all []finding.Finding) {
	t.Helper()
	met := p.Fault == ""
	for _, f := range all {
		if f.Kind == p.Fault {
			met = true
		} else if f.Level == finding.Error && !consequence(p.Fault, f.Kind) {
			t.Errorf("line %d: %s: %s\n%s", f.Line, f.Kind, f.Message, numberedLines(p.Text))
		}
	}
	if !met {
		t.Errorf("no %s\n%s", p.Fault, numberedLines(p.Text))
	}
}

// consequence reports whether a fault brings a finding of another kind with it.
func consequence(fault, kind string) bool {
	return fault == "release-not-acquired" && kind == "ownerless-release"
}

func numberedLines(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		fmt.Fprintf(&b, "%4d %s", n, line)
	}
	return b.String()
}
