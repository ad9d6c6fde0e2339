package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// result gathers what the rounds left.
func (r *run) result() *Result {
	var all []finding.Finding
	for _, n := range r.graph.nodes {
		if n.reports && n.ran {
			all = append(all, r.findings(n)...)
		}
	}
	for _, n := range r.graph.nodes {
		if n.unit {
			r.stats.Units++
		}
	}
	return &Result{
		Findings: finding.Normalize(all), Coverage: r.coverage(), Stats: r.stats, Units: r.units(),
	}
}

// findings are those of n: what the first run found, which needs one package and the facts below it, and what only a
// later run found, which needs the program. A place outside the package needs the program too; it is shown if somebody
// asked for the package that it is in. And a package from which no client can be reached was analysed because of who
// imports it, which it cannot know itself.
func (r *run) findings(n *node) []finding.Finding {
	own := map[string]bool{}
	for _, name := range n.sources() {
		own[name] = true
	}
	first := map[findingKey]bool{}
	var all []finding.Finding
	for _, f := range n.first {
		first[keyOf(f)] = true
		f.Scope = cmp.Or(f.Scope, finding.Unit)
		all = append(all, f)
	}
	for _, f := range n.latest {
		if !first[keyOf(f)] {
			f.Scope = finding.Program
			all = append(all, f)
		}
	}
	for i := range all {
		if !own[all[i].File] || !n.reaches {
			all[i].Scope = finding.Program
		}
	}
	return keep(all, func(f finding.Finding) bool { return own[f.File] || r.graph.files[f.File] })
}

// findingKey is what makes two findings the same one.
type findingKey struct {
	finding.Place
	kind, rule string
}

func keyOf(f finding.Finding) findingKey { return findingKey{f.Place, f.Kind, f.Rule} }

// sources are the names of the Go files of n, as positions show them: what cgo makes of a file points to the file.
func (n *node) sources() []string {
	return absFiles(n.Dir, slices.Concat(n.GoFiles, n.CgoFiles))
}

// coverage counts the packages that match the patterns, each with its tests as one.
func (r *run) coverage() Coverage {
	byPath := map[string][]*node{}
	cov := Coverage{Partial: []Problem{}, Failed: []Problem{}}
	for _, n := range r.graph.nodes {
		if n.reports {
			cov.Unknowns += n.unknowns
		}
		if n.matched {
			tested := cmp.Or(n.ForTest, n.path)
			byPath[tested] = append(byPath[tested], n)
		} else {
			cov.addDependency(n)
		}
	}
	for _, path := range sortedKeys(byPath) {
		cov.addPackage(path, byPath[path])
	}
	for _, p := range r.graph.absent {
		cov.Failed = append(cov.Failed, Problem{p, "matches no packages"})
	}
	sortProblems(cov.Partial)
	sortProblems(cov.Failed)
	cov.Partial, cov.Failed = slices.Compact(cov.Partial), slices.Compact(cov.Failed)
	return cov
}

// addPackage counts one package; nodes are it and its test variants.
func (c *Coverage) addPackage(path string, nodes []*node) {
	c.Packages++
	failed := false
	relevant := false
	for _, n := range nodes {
		relevant = relevant || n.unit && n.ran
		if n.missing {
			failed = true
			c.Failed = append(c.Failed, Problem{path, n.Error.reason()})
		}
		c.addUnit(n)
		if n.compile != nil && !n.ran && len(n.failed) == 0 { // nothing in it has to do with a lock, as far as it can be read
			c.Partial = append(c.Partial, Problem{path, n.compile.reason()})
		}
		failed = failed || len(n.failed) > 0
	}
	if !failed {
		c.Analysed++
		if !relevant {
			c.Irrelevant++
		}
	}
}

// addUnit lists what went wrong with one unit.
func (c *Coverage) addUnit(n *node) {
	if !n.unit || !n.ran && len(n.failed) == 0 {
		return
	}
	superseded := n.matched && !n.reports // its variant says the same
	if len(n.partial) > 0 && !superseded {
		c.Partial = append(c.Partial, Problem{n.path, few(n.partial)})
	}
	for _, reason := range n.failed {
		c.Failed = append(c.Failed, Problem{n.path, reason})
	}
}

// addDependency lists what went wrong with a package that nobody asked for. Only what could not be loaded at all, or is
// itself a unit, can have made a result worse.
func (c *Coverage) addDependency(n *node) {
	if n.missing && n.needed {
		c.Failed = append(c.Failed, Problem{n.path, n.Error.reason()})
		return
	}
	c.addUnit(n)
}

func sortProblems(list []Problem) {
	slices.SortFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Reason, b.Reason))
	})
}

// few is the first of many reasons, in one line.
func few(reasons []string) string {
	const most = 3
	if len(reasons) > most {
		reasons = append(slices.Clone(reasons[:most]), fmt.Sprintf("and %d more", len(reasons)-most))
	}
	return strings.Join(reasons, "; ")
}
