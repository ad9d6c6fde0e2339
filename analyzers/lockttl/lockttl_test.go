package lockttl_test

import (
	"strings"
	"testing"

	"github.com/leasevet/leasevet/analyzers/lockttl"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/markedtest"

	"golang.org/x/tools/go/analysis"
)

const module = "../../testdata/founding-a"

var kinds = []string{"no-ttl", "nonatomic-ttl", "long-ttl", "ttl-unit", "short-ttl"}

func TestMarked(t *testing.T) {
	all := markedtest.FindingsOf(t, []*analysis.Analyzer{lockttl.Analyzer}, module)
	for _, prefix := range []string{"lt", "oc"} { // what has nothing but right TTLs has to stay silent, too
		if prefix == "lt" {
			markedtest.ScoreOf(t, module, prefix, all, kinds...)
			continue
		}
		for _, f := range all {
			if strings.Contains(f.File, "/"+prefix) {
				t.Errorf("not marked: %s:%d %s: %s", f.File, f.Line, f.Kind, f.Message)
			}
		}
	}
	t.Run("levels", func(t *testing.T) { levels(t, all) })
	t.Run("constant", func(t *testing.T) { constant(t, all) })
	t.Run("bound", func(t *testing.T) { bound(t, all) })
}

// levels: a TTL below the limit is a note, one above is a warning.
func levels(t *testing.T, all []finding.Finding) {
	for _, c := range []struct {
		file, kind string
		want       finding.Level
	}{
		{"lt25-noted/pkg.go", "long-ttl", finding.Note},
		{"lt23-long-words/pkg.go", "long-ttl", finding.Warning},
		{"lt30-unit-inline/pkg.go", "ttl-unit", finding.Error},
		{"lt40-short-inline/pkg.go", "short-ttl", finding.Warning},
	} {
		for _, f := range in(t, all, c.file, c.kind) {
			if f.Level != c.want {
				t.Errorf("%s:%d %s is a %s, want %s", c.file, f.Line, f.Kind, f.Level, c.want)
			}
		}
	}
}

// constant: the finding about a constant names its declaration and the other call that hands it over.
func constant(t *testing.T, all []finding.Finding) {
	for _, f := range in(t, all, "lt20-long-handed/a_parcels.go", "long-ttl") {
		if !relates(f, "a_parcels.go", 16) || !relates(f, "b_letters.go", 20) {
			t.Errorf("related places are %v", f.Related)
		}
		if strings.Contains(f.Message, "the work ends") {
			t.Errorf("the bound of another function's work is shown: %s", f.Message)
		}
	}
}

// bound: a lease that is too short is shown with what exceeds it.
func bound(t *testing.T, all []finding.Finding) {
	for _, f := range in(t, all, "lt42-short-library/pkg.go", "short-ttl") {
		if !strings.Contains(f.Message, "8s") || !strings.Contains(f.Message, "45s") || !relates(f, "pkg.go", 29) {
			t.Errorf("%s %v", f.Message, f.Related)
		}
	}
}

// in are the findings of a kind in a file; there has to be one.
func in(t *testing.T, all []finding.Finding, file, kind string) []finding.Finding {
	t.Helper()
	var out []finding.Finding
	for _, f := range all {
		if strings.HasSuffix(f.File, file) && f.Kind == kind {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		t.Errorf("no %s in %s", kind, file)
	}
	return out
}

func relates(f finding.Finding, file string, line int) bool {
	for _, r := range f.Related {
		if strings.HasSuffix(r.File, file) && r.Line == line {
			return true
		}
	}
	return false
}
