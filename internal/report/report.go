// Package report renders what a run found: as JSON for programs, as text for people, and as the one line that other
// drivers print.
//
// It renders and nothing else. What is reported, and at which level, its callers have decided.
package report

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// Report is one run.
type Report struct {
	// Dir is the directory that was analysed. Paths are shown relative to it.
	Dir      string
	Findings []finding.Finding
	Coverage Coverage
}

// Coverage says what was looked at.
type Coverage struct {
	Packages   int       `json:"packages"`
	Analysed   int       `json:"analysed"` // irrelevant ones included
	Irrelevant int       `json:"irrelevant"`
	Partial    []Problem `json:"partial"`
	Failed     []Problem `json:"failed"`
	Unknowns   int       `json:"unknowns"`
}

// Problem says why a package was not analysed, or not as a whole.
type Problem struct {
	Package string `json:"package"`
	Reason  string `json:"reason"`
}

// normal is the report in the form in which it is printed: paths relative, findings and problems sorted. The caller's
// slices stay as they are.
func (r Report) normal() Report {
	dir := newBase(r.Dir)
	findings := make([]finding.Finding, 0, len(r.Findings))
	for _, f := range r.Findings {
		findings = append(findings, dir.finding(f))
	}
	slices.SortStableFunc(findings, finding.Compare)
	r.Findings = findings
	r.Coverage.Partial = dir.problems(r.Coverage.Partial)
	r.Coverage.Failed = dir.problems(r.Coverage.Failed)
	return r
}

// base is the directory that paths are shown relative to, in the spellings that it goes by.
type base []string

func newBase(dir string) base {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil // nothing is relative then
	}
	names := base{abs}
	// The go command may report files by the real path of a directory that was named by a link.
	if target, err := filepath.EvalSymlinks(abs); err == nil && target != abs {
		names = append(names, target)
	}
	return names
}

// rel is how a path is shown: relative if that is possible, and with forward slashes on every system.
func (b base) rel(file string) string {
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(file)
	}
	shown := file
	for i, dir := range b {
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			continue
		}
		inside := filepath.IsLocal(rel)
		if i == 0 || inside {
			shown = rel
		}
		if inside {
			break
		}
	}
	return filepath.ToSlash(shown)
}

func (b base) place(p finding.Place) finding.Place {
	p.File = b.rel(p.File)
	return p
}

// finding is f with its paths relative.
func (b base) finding(f finding.Finding) finding.Finding {
	f.Place = b.place(f.Place)
	f.Related, f.Path, f.Fixes = slices.Clone(f.Related), slices.Clone(f.Path), slices.Clone(f.Fixes)
	for i := range f.Related {
		f.Related[i].Place = b.place(f.Related[i].Place)
	}
	for i := range f.Path {
		f.Path[i].Place = b.place(f.Path[i].Place)
	}
	for i := range f.Fixes {
		f.Fixes[i].Edits = slices.Clone(f.Fixes[i].Edits)
		for j := range f.Fixes[i].Edits {
			f.Fixes[i].Edits[j].File = b.rel(f.Fixes[i].Edits[j].File)
		}
	}
	return f
}

// problems sorts by package, and takes the directory out of the reasons, which would differ from machine to machine.
func (b base) problems(list []Problem) []Problem {
	out := make([]Problem, 0, len(list))
	for _, p := range list {
		for _, dir := range b {
			p.Reason = strings.ReplaceAll(p.Reason, dir+string(filepath.Separator), "")
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Problem) int {
		if c := strings.Compare(a.Package, b.Package); c != 0 {
			return c
		}
		return strings.Compare(a.Reason, b.Reason)
	})
	return slices.Compact(out)
}

// label is the kind of a finding with its rule, if it has one.
func label(f finding.Finding) string {
	if f.Rule == "" {
		return f.Kind
	}
	return f.Kind + "/" + f.Rule
}
