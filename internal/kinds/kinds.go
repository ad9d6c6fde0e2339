// Package kinds is the table of everything that leasevet reports, or will report: the stable ids that directives,
// flags, baselines and the documentation share.
package kinds

import (
	"slices"

	"github.com/leasevet/leasevet/internal/finding"
)

// docsBase is where the pages of the kinds are, one page per kind.
const docsBase = "https://github.com/leasevet/leasevet/blob/main/docs/kinds/"

// Kind is one sort of fault.
type Kind struct {
	Analyzer string
	Name     string // the stable id, such as "ownerless-release"
	Level    finding.Level
	Text     string // what is wrong, in one line and without a final stop
	// Implemented is false for a kind that is named already, so that directives may mention it, but that this version
	// does not look for.
	Implemented bool
}

// The analyzer and kinds that are about leasevet's own comments.
const (
	Directive       = "directive"
	BadDirective    = "bad-directive"
	UnusedDirective = "unused-directive"
)

// All lists the kinds, those of one analyzer together. The slice is the caller's.
func All() []Kind { return slices.Clone(table) }

// Find looks a kind up by its id.
func Find(name string) (Kind, bool) {
	i := slices.IndexFunc(table, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return table[i], true
}

// URL is the page that explains a kind.
func URL(name string) string { return docsBase + name + ".md" }

// Nearest is the kind that somebody who wrote name probably meant, "" if none is near.
func Nearest(name string) string {
	names := make([]string, len(table))
	for i, k := range table {
		names[i] = k.Name
	}
	return Closest(name, names)
}

// Closest is the word that somebody who wrote name probably meant, "" if none is near.
func Closest(name string, words []string) string {
	best, limit := "", max(1, len(name)/3)+1
	for _, w := range words {
		if d := distance(name, w); d < limit {
			best, limit = w, d
		}
	}
	return best
}

// distance is the number of single-byte edits that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
