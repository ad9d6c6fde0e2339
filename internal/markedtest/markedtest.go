// Package markedtest runs the analyzers over a marked module and holds what they find against the marks.
package markedtest

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/link"
	"github.com/leasevet/leasevet/internal/marked"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Findings are all findings in a module, notes included, as the command makes them. A package that fails to be analysed
// fails the test.
func Findings(t *testing.T, dir string, patterns ...string) []finding.Finding {
	t.Helper()
	return FindingsOf(t, analyzers.All(), dir, patterns...)
}

// FindingsOf is Findings with a choice of analyzers.
func FindingsOf(t *testing.T, list []*analysis.Analyzer, dir string, patterns ...string) []finding.Finding {
	t.Helper()
	return run(t, list, dir, patterns...).Findings
}

// FindingsInCopy is Findings for a module that was written for one test, and of which the build cache need know nothing.
func FindingsInCopy(t *testing.T, dir string) []finding.Finding {
	t.Helper()
	cfg := config(analyzers.All(), dir)
	cfg.OwnFromSource = true
	return runConfig(t, cfg).Findings
}

// Run is a whole run, as the command makes it.
func Run(t *testing.T, dir string, patterns ...string) *driver.Result {
	t.Helper()
	return run(t, analyzers.All(), dir, patterns...)
}

func run(t *testing.T, list []*analysis.Analyzer, dir string, patterns ...string) *driver.Result {
	t.Helper()
	return runConfig(t, config(list, dir, patterns...))
}

// config is how the command calls the driver.
func config(list []*analysis.Analyzer, dir string, patterns ...string) driver.Config {
	return driver.Config{
		Dir: dir, Patterns: patterns, Tests: true, Analyzers: list, Clients: clientmodel.IsClient, Link: link.Plan,
		Worth: lockfacts.Worth, WorthTests: lockfacts.WorthTests,
	}
}

func runConfig(t *testing.T, cfg driver.Config) *driver.Result {
	t.Helper()
	res, err := driver.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Coverage.Failed {
		t.Errorf("%s was not analysed: %s", f.Package, f.Reason)
	}
	if res.Coverage.Analysed == 0 {
		t.Error("no package was analysed")
	}
	return res
}

// Score runs the analyzers and fails for every mark of the given kinds that is missed, and every finding of them that
// no mark covers. Only cases whose folder starts with prefix count.
func Score(t *testing.T, dir, prefix string, kinds ...string) {
	t.Helper()
	ScoreOf(t, dir, prefix, Findings(t, dir), kinds...)
}

// ScoreOf is Score for findings that are there already.
func ScoreOf(t *testing.T, dir, prefix string, all []finding.Finding, kinds ...string) {
	t.Helper()
	want := map[string]bool{}
	for _, k := range kinds {
		want[k] = true
	}
	report := marked.Score(dir, all, want)
	if report.Err != nil {
		t.Fatal(report.Err)
	}
	hits := 0
	for _, h := range report.Hits {
		if strings.HasPrefix(h.File, prefix) {
			hits++
		}
	}
	if hits == 0 {
		t.Errorf("no mark of %v was hit in %s*: the test proves nothing", kinds, prefix)
	}
	for _, m := range report.Misses {
		if strings.HasPrefix(m.File, prefix) {
			t.Errorf("missed: %v", m)
		}
	}
	for _, x := range report.Extras {
		if inCase(dir, x.File, prefix) {
			t.Errorf("not marked: %s:%d %s: %s", x.File, x.Line, x.Kind, x.Message)
		}
	}
}

// inCase reports whether a file stands in a folder of dir that starts with prefix.
func inCase(dir, file, prefix string) bool {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(abs, file)
	return err != nil || strings.HasPrefix(filepath.ToSlash(rel), prefix)
}
