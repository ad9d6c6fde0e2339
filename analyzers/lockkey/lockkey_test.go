package lockkey_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers/lockkey"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/link"
	"github.com/leasevet/leasevet/internal/marked"
	"github.com/leasevet/leasevet/passes/clientmodel"
)

// kinds are what this analyzer reports.
var kinds = map[string]bool{
	"key-from-strings": true, "unstable-key": true, "ambiguous-key": true, "empty-key-part": true,
	"key-ignores-entity": true, "mismatched-prefix": true, "shared-key": true, "duplicate-prefix": true,
}

const programs = "../../testdata/founding-b"

func run(t *testing.T) []finding.Finding {
	t.Helper()
	result, err := driver.Run(t.Context(), driver.Config{
		Dir: programs, Tests: true, Analyzers: []*analysis.Analyzer{lockkey.Analyzer},
		Clients: clientmodel.IsClient, Link: link.Plan,
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(result.Coverage.Failed) + len(result.Coverage.Partial); n > 0 {
		t.Fatalf("not analysed: %v %v", result.Coverage.Failed, result.Coverage.Partial)
	}
	return result.Findings
}

// TestMarkedPrograms holds the findings against what the programs say about themselves, the faultless ones included.
func TestMarkedPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the modules of the client libraries")
	}
	found := run(t)
	report := marked.Score(programs, found, kinds)
	if !report.Ok() {
		t.Error(report)
	}
	if len(report.Hits) < 70 {
		t.Errorf("only %d marks were met: are the programs still there?", len(report.Hits))
	}
	messages(t, found)
}

// messages checks what a finding has to say: a sentence with a way out, and where the other side of the fault is.
func messages(t *testing.T, found []finding.Finding) {
	t.Helper()
	for _, f := range found {
		if !strings.Contains(f.Message, ";") {
			t.Errorf("%s:%d %s names no way out: %s", f.File, f.Line, f.Kind, f.Message)
		}
		alone := f.Kind == "key-ignores-entity" || f.Kind == "key-from-strings" && f.Level == finding.Note
		if len(f.Related) == 0 && !alone {
			t.Errorf("%s:%d %s names no other place: %s", f.File, f.Line, f.Kind, f.Message)
		}
	}
}
