package lockfacts_test

import (
	"encoding/json"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/markedtest"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

const engine = "../../testdata/engine"

// A constructor that returns an interface hides the type from export data. The package fact has it, whether the types
// of imports come from source or from export data, and whether the constructor can be inlined or not.
func TestHiddenType(t *testing.T) {
	markedtest.ScoreOf(t, engine, "hidden/", markedtest.Findings(t, engine, "./hidden/..."),
		"constant-owner", "ownerless-release", "long-ttl")
	source, export := factsFromSource(t), factsFromExportData(t)
	if len(source) != 2 {
		t.Errorf("got facts of %d packages, want 2", len(source))
	}
	for path, want := range source {
		if export[path] != want {
			t.Errorf("%s: facts differ\nfrom source:      %s\nfrom export data: %s", path, want, export[path])
		}
	}
}

// factsFromSource loads everything with syntax, as multichecker does.
func factsFromSource(t *testing.T) map[string]string {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: engine}, "./hidden/...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{lockfacts.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for act := range graph.All() {
		if act.Analyzer == lockfacts.Analyzer && act.IsRoot {
			if act.Err != nil {
				t.Fatal(act.Err)
			}
			out[act.Package.PkgPath] = encode(t, act.Result.(*lockfacts.Result).Fact)
		}
	}
	return out
}

// factsFromExportData runs the command's own driver.
func factsFromExportData(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	var mu sync.Mutex
	spy := &analysis.Analyzer{Name: "spy", Doc: "keeps facts", Requires: []*analysis.Analyzer{lockfacts.Analyzer}}
	spy.Run = func(pass *analysis.Pass) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		out[pass.Pkg.Path()] = encode(t, pass.ResultOf[lockfacts.Analyzer].(*lockfacts.Result).Fact)
		return nil, nil
	}
	_, err := driver.Run(t.Context(), driver.Config{
		Dir: engine, Patterns: []string{"./hidden/..."}, Analyzers: []*analysis.Analyzer{spy}, Clients: clientmodel.IsClient,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func encode(t *testing.T, f *lockfacts.Fact) string {
	t.Helper()
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
