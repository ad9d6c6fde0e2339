package golangci

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers"
	"github.com/leasevet/leasevet/internal/finding"
)

// reporter is an analyzer of the given name that reports one diagnostic of each kind.
func reporter(name string, reported ...string) *analysis.Analyzer {
	a := &analysis.Analyzer{Name: name, Run: func(pass *analysis.Pass) (any, error) {
		for _, kind := range reported {
			pass.Report(analysis.Diagnostic{Category: kind})
		}
		return "result", nil
	}}
	a.Flags.String("level", "", "")
	return a
}

// reports runs an analyzer and lists the kinds that it reports.
func reports(t *testing.T, a *analysis.Analyzer) []string {
	t.Helper()
	var got []string
	result, err := a.Run(&analysis.Pass{Analyzer: a, Report: func(d analysis.Diagnostic) { got = append(got, d.Category) }})
	if err != nil || result != "result" {
		t.Errorf("the analyzer returned %v, %v", result, err)
	}
	return got
}

func TestSelected(t *testing.T) {
	key := reporter("lockkey", "shared-key")
	ttl := reporter("lockttl", "no-ttl", "long-ttl")
	owner := reporter("ownercheck", "broken-release")
	for name, test := range map[string]struct {
		settings settings
		want     []string
	}{
		"note":          {settings{Level: finding.Note}, []string{"shared-key", "no-ttl", "long-ttl", "broken-release"}},
		"warning":       {settings{Level: finding.Warning}, []string{"no-ttl", "long-ttl", "broken-release"}},
		"error":         {settings{Level: finding.Error}, []string{"no-ttl", "broken-release"}},
		"one kind":      {settings{Level: finding.Warning, Kinds: []string{"long-ttl"}}, []string{"long-ttl"}},
		"two analyzers": {settings{Level: finding.Warning, Kinds: []string{"broken-release", "no-ttl"}}, []string{"no-ttl", "broken-release"}},
		"found nothing": {settings{Level: finding.Warning, Kinds: []string{"ttl-unit"}}, nil},
	} {
		list, err := selected([]*analysis.Analyzer{key, ttl, owner}, test.settings)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range list {
			got = append(got, reports(t, a)...)
			if level := a.Flags.Lookup("level").Value.String(); level != string(test.settings.Level) {
				t.Errorf("%s: %s reports from level %q on", name, a.Name, level)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	if got := reports(t, ttl); !slices.Equal(got, []string{"no-ttl", "long-ttl"}) {
		t.Errorf("the shared analyzer was changed: it reports %q", got)
	}
}

// TestOtherAnalyzersAreLeftOut checks that what cannot report anything is not run.
func TestOtherAnalyzersAreLeftOut(t *testing.T) {
	list, err := selected([]*analysis.Analyzer{reporter("lockttl"), reporter("ownercheck")}, settings{Level: finding.Warning, Kinds: []string{"no-ttl"}})
	if err != nil || len(list) != 1 || list[0].Name != "lockttl" {
		t.Errorf("got %v, %v, want lockttl alone", list, err)
	}
}

// TestRealAnalyzers checks what this package takes for granted of the analyzers: their names are those of the table of
// kinds, or none of their findings would be shown, and golangci-lint accepts them.
func TestRealAnalyzers(t *testing.T) {
	list, err := selected(analyzers.All(), settings{Level: finding.Note})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 || len(list) != len(analyzers.All()) {
		t.Errorf("%d of %d analyzers are selected", len(list), len(analyzers.All()))
	}
	if err := analysis.Validate(list); err != nil {
		t.Error(err)
	}
}
