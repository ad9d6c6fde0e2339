package lockscope_test

import (
	"strings"
	"testing"

	"github.com/leasevet/leasevet/analyzers/lockscope"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/markedtest"

	"golang.org/x/tools/go/analysis"
)

const module = "../../testdata/holding"

var kinds = []string{"leak-on-path", "release-on-request-ctx", "release-before-commit", "goroutine-outlives-lock",
	"lost-lease-ignored", "renewal-leak"}

// Every mark of these kinds in the module is met, in whatever folder it stands, and nothing else is found.
func TestMarked(t *testing.T) {
	all := markedtest.FindingsOf(t, []*analysis.Analyzer{lockscope.Analyzer}, module)
	markedtest.ScoreOf(t, module, "", all, kinds...)
	t.Run("levels", func(t *testing.T) { levels(t, all) })
}

// A context that only a shutdown ends is a note.
func levels(t *testing.T, all []finding.Finding) {
	seen := map[finding.Level]int{}
	for _, f := range all {
		if f.Kind == "release-on-request-ctx" {
			seen[f.Level]++
			if want := strings.HasSuffix(f.File, "/hc02-worker/pkg.go"); want != (f.Level == finding.Note) {
				t.Errorf("%s:%d is a %s", f.File, f.Line, f.Level)
			}
		}
	}
	if seen[finding.Note] == 0 || seen[finding.Error] == 0 {
		t.Errorf("levels are %v", seen)
	}
}
