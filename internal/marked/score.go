package marked

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// slack is how many lines a finding may stand beside its mark: a call over several lines has several places.
const slack = 1

// Report is what came out of holding findings against marks.
type Report struct {
	Hits   []Expectation // met, arguable ones included
	Misses []Expectation // not met, arguable ones left out
	Extras []finding.Finding
	Err    error // the marks could not be read; then there is nothing else
}

// Ok reports whether everything was found and nothing else.
func (r Report) Ok() bool { return r.Err == nil && len(r.Misses) == 0 && len(r.Extras) == 0 }

// String lists what is wrong, a line each, and ends with the count.
func (r Report) String() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	var b strings.Builder
	for _, m := range r.Misses {
		fmt.Fprintf(&b, "miss  %s\n", m)
	}
	for _, f := range r.Extras {
		fmt.Fprintf(&b, "extra %s:%d %s: %s\n", f.File, f.Line, f.Kind, f.Message)
	}
	fmt.Fprintf(&b, "hit %d, miss %d, extra %d", len(r.Hits), len(r.Misses), len(r.Extras))
	return b.String()
}

// Score holds findings against the marks below dir. Only the given kinds count, all kinds if there are none given.
// Findings carry file names relative to dir or absolute ones; suppressed findings count as not reported.
func Score(dir string, findings []finding.Finding, kinds map[string]bool) Report {
	all, err := Read(dir)
	if err != nil {
		return Report{Err: err}
	}
	return all.Score(dir, findings, kinds)
}

// Score is the function Score, for marks that are already read.
func (a *Expectations) Score(dir string, findings []finding.Finding, kinds map[string]bool) Report {
	var r Report
	met := make([]bool, len(a.Expect))
	for _, f := range findings {
		if f.Suppressed != nil || !counts(kinds, f.Kind) {
			continue
		}
		f.File = relative(dir, f.File)
		if !a.meet(Spot{f.File, f.Line}, f.Kind, met) {
			r.Extras = append(r.Extras, f)
		}
	}
	for i, e := range a.Expect {
		switch {
		case !counts(kinds, e.Kind):
		case met[i]:
			r.Hits = append(r.Hits, e)
		case !e.Arguable:
			r.Misses = append(r.Misses, e)
		}
	}
	return r
}

// counts reports whether a kind is asked for.
func counts(kinds map[string]bool, kind string) bool { return len(kinds) == 0 || kinds[kind] }

// relative is the file name as marks have it. A name that does not lie below dir stays as it is and matches nothing.
func relative(dir, file string) string {
	if filepath.IsAbs(file) {
		base, err := filepath.Abs(dir)
		if err != nil {
			return file
		}
		if rel, err := filepath.Rel(base, file); err == nil {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

// meet notes which expectations a finding meets and reports whether it may stand where it stands. A mark on the very
// line goes before its neighbours, so that two marks on adjacent lines need two findings.
func (a *Expectations) meet(at Spot, kind string, met []bool) bool {
	for off := 0; off <= slack; off++ {
		if a.meetAt(at, kind, off, met) {
			return true
		}
	}
	return false
}

// meetAt is meet for marks that are exactly off lines away.
func (a *Expectations) meetAt(at Spot, kind string, off int, met []bool) bool {
	fits := func(s Spot) bool { return s.File == at.File && away(s.Line, at.Line) == off }
	found := false
	for i, e := range a.Expect {
		if e.Kind == kind && (fits(e.Spot) || anyFits(e.Also, fits)) {
			met[i], found = true, true
		}
	}
	return found || anyFits(a.Also[kind], fits)
}

// anyFits reports whether one of the spots fits.
func anyFits(spots []Spot, fits func(Spot) bool) bool {
	for _, s := range spots {
		if fits(s) {
			return true
		}
	}
	return false
}
