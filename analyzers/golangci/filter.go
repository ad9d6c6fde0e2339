package golangci

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/kinds"
)

// selected makes analyzers that report what the settings ask for.
func selected(all []*analysis.Analyzer, s settings) ([]*analysis.Analyzer, error) {
	var out []*analysis.Analyzer
	for _, a := range all {
		if !s.needs(a) {
			continue
		}
		if err := setLevel(a, s); err != nil {
			return nil, fmt.Errorf("analyzer %s: %w", a.Name, err)
		}
		out = append(out, narrowed(a, s))
	}
	return out, nil
}

// setLevel tells an analyzer from which level on to report. A finding can stand at a lower level than its kind, so only
// the analyzer itself can tell; one without the flag reports every kind at its own level.
func setLevel(a *analysis.Analyzer, s settings) error {
	if a.Flags.Lookup("level") == nil {
		return nil
	}
	return a.Flags.Set("level", string(s.Level))
}

// needs reports whether some kind that is asked for is the analyzer's.
func (s settings) needs(a *analysis.Analyzer) bool {
	return slices.ContainsFunc(kinds.All(), func(k kinds.Kind) bool { return k.Analyzer == a.Name && s.wants(k) })
}

// wants reports whether a kind is asked for.
func (s settings) wants(k kinds.Kind) bool {
	return k.Level.Rank() >= s.Level.Rank() && (len(s.Kinds) == 0 || slices.Contains(s.Kinds, k.Name))
}

// narrowed is the analyzer without the kinds that nobody asked for. The given one is shared with whoever else lists it,
// and reports as before.
func narrowed(a *analysis.Analyzer, s settings) *analysis.Analyzer {
	out := *a
	out.Run = func(pass *analysis.Pass) (any, error) {
		p := *pass
		p.Report = func(d analysis.Diagnostic) {
			// What the table does not know is shown rather than lost.
			if k, known := kinds.Find(d.Category); !known || s.wants(k) {
				pass.Report(d)
			}
		}
		return a.Run(&p)
	}
	return &out
}
