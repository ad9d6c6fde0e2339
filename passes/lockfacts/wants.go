package lockfacts

import (
	"maps"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// wants lists the packages of the program's own module that have no facts although what they return is part of a key,
// an owner value or a TTL that an acquire takes.
func (u *unit) wants() []string {
	found := map[string]bool{}
	note := func(t keyterm.Term) {
		t.Walk(func(p keyterm.Term) bool {
			if p.Op == keyterm.Call && p.Text != "" {
				if pkg := FunctionPackage(p.Text); u.wanted(pkg) {
					found[pkg] = true
				}
			}
			return true
		})
	}
	for _, a := range u.activities {
		for _, e := range a.events {
			if e.Op.Acquires() {
				note(e.Key)
				note(e.Owner)
				note(e.TTL)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (u *unit) wanted(pkg string) bool {
	m := u.pass.Module
	return m != nil && m.Path != "" && pkg != u.pass.Pkg.Path() && u.facts[pkg] == nil &&
		(pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/"))
}
