package lockapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/analyzers/lockapi"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/markedtest"

	"golang.org/x/tools/go/analysis"
)

const module = "../../testdata/holding"

// The folders of this analyzer hold a program for each rule, broken and kept. Elsewhere in the module results of Unlock
// are dropped, which is a note and not marked.
func TestMarked(t *testing.T) {
	all := markedtest.FindingsOf(t, []*analysis.Analyzer{lockapi.Analyzer}, module)
	own := slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return !strings.Contains(f.File, "/ha") })
	markedtest.ScoreOf(t, module, "ha", own, "library-misuse")
	rules := map[string]int{}
	for _, f := range all {
		rules[f.Rule]++
		if want := f.Rule == "redsync-result-dropped"; want != (f.Level == finding.Note) {
			t.Errorf("%s:%d %s is a %s", f.File, f.Line, f.Rule, f.Level)
		}
	}
	for _, id := range []string{"redsync-shared-mutex", "redsync-other-mutex", "redsync-result-dropped", "gozero-no-expire",
		"rueidis-context-dropped", "freed-before-return"} {
		if rules[id] == 0 {
			t.Errorf("no finding of rule %s", id)
		}
	}
}
