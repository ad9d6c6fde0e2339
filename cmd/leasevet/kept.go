package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/leasevet/leasevet/internal/directive"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/report"
)

// kept is what the command needs of a package after its analysis: nothing that holds on to syntax.
type kept struct {
	reasons map[string]int // why calls could not be seen through, and how many
	ignores []directive.Directive
}

// unknowns gathers the reasons of all packages. Of a package and its test variants, which hold the same files, the one
// with the most unknowns of a reason counts.
func unknowns(units []driver.Unit) []report.Unknown {
	most := map[report.Unknown]int{}
	for _, u := range units {
		k, _ := u.Result.(kept)
		for reason, n := range k.reasons {
			key := report.Unknown{Reason: reason, Package: u.ImportPath}
			most[key] = max(most[key], n)
		}
	}
	all := make([]report.Unknown, 0, len(most))
	for u, n := range most {
		u.Count = n
		all = append(all, u)
	}
	return all
}

// withIgnores lets the ignores of every package cover what is found in it, and adds the findings about ignores that
// cover nothing, if the run saw enough to say so. An analyzer knows the comments of its own package only, and many a
// finding stands in another one: a helper's release that a caller proves wrong.
func withIgnores(o *options, result *driver.Result) []finding.Finding {
	all := ignores(result.Units)
	covered := directive.Apply(all, result.Findings)
	if !o.sawAll(result.Coverage) {
		return covered
	}
	return finding.Normalize(slices.Concat(covered, directive.Unused(all, covered)))
}

// ignores gathers the ignores of all packages, each once: a package and its test variants have the same files.
func ignores(units []driver.Unit) []directive.Directive {
	var all []directive.Directive
	seen := map[finding.Place]bool{}
	for _, u := range units {
		k, _ := u.Result.(kept)
		for _, d := range k.ignores {
			if !seen[d.Place] {
				seen[d.Place] = true
				all = append(all, d)
			}
		}
	}
	return all
}

// sawAll reports whether a run looked at the whole of a module, tests included, and missed nothing. With less, the
// caller that makes a finding true may be what is missing.
func (o *options) sawAll(c driver.Coverage) bool {
	if !o.tests || len(c.Failed) > 0 || len(c.Partial) > 0 {
		return false
	}
	if len(o.patterns) > 0 && !slices.Contains(o.patterns, "./...") {
		return false
	}
	return slices.ContainsFunc([]string{"go.mod", "go.work"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(o.dir, name))
		return err == nil
	})
}
