package lockorder_test

import (
	"testing"

	"github.com/leasevet/leasevet/analyzers/lockorder"
	"github.com/leasevet/leasevet/internal/markedtest"

	"golang.org/x/tools/go/analysis"
)

const module = "../../testdata/holding"

// Every mark of these kinds in the module is met, in whatever folder it stands, and nothing else is found. A reentrant
// acquire shows the calls that lead to it.
func TestMarked(t *testing.T) {
	all := markedtest.FindingsOf(t, []*analysis.Analyzer{lockorder.Analyzer}, module)
	markedtest.ScoreOf(t, module, "", all, "reentrant-deadlock", "lock-order")
	for _, f := range all {
		if f.Kind == "reentrant-deadlock" && len(f.Path) == 0 {
			t.Errorf("%s:%d shows no path", f.File, f.Line)
		}
	}
}
