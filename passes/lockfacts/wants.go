package lockfacts

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

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
	u.wantsSettings(note)
	u.wantsEndings(found)
	u.wantsUse(found)
	return slices.Sorted(maps.Keys(found))
}

// wantsSettings looks at the objects that constructors return: a duration in one may become a TTL.
func (u *unit) wantsSettings(note func(keyterm.Term)) {
	for _, s := range u.summaries {
		if s == nil {
			continue
		}
		for _, r := range s.Results {
			r.Walk(func(p keyterm.Term) bool {
				if p.Op == keyterm.Call && p.Type == "time.Duration" {
					note(p)
				}
				return p.Op == keyterm.Object || p.Op == keyterm.Set || p.Op == keyterm.Arith
			})
		}
	}
}

// wantsEndings looks at calls that end a branch of a function that acquires, and give nothing back: they may not return.
func (u *unit) wantsEndings(found map[string]bool) {
	for fn, a := range u.activities {
		if !slices.ContainsFunc(a.events, func(e Event) bool { return e.Op.Acquires() }) {
			continue
		}
		for _, b := range fn.Blocks {
			if callee := lastCall(b); callee != nil && len(callee.Blocks) == 0 && callee.Pkg != nil && u.wanted(callee.Pkg.Pkg.Path()) {
				found[callee.Pkg.Pkg.Path()] = true
			}
		}
	}
}

// lastCall is the function without results that a block calls before it goes on, or nil.
func lastCall(b *ssa.BasicBlock) *ssa.Function {
	n := len(b.Instrs)
	if n < 2 || len(b.Succs) != 1 {
		return nil
	}
	c, ok := b.Instrs[n-2].(*ssa.Call)
	if !ok || c.Call.Signature().Results().Len() > 0 {
		return nil
	}
	return c.Call.StaticCallee()
}

func (u *unit) wanted(pkg string) bool {
	m := u.pass.Module
	return m != nil && m.Path != "" && pkg != u.pass.Pkg.Path() && u.facts[pkg] == nil &&
		(pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/"))
}

// fetchWants asks for the packages that the unit wants, and reports whether there was an answer.
func (u *unit) fetchWants() (news bool) {
	if u.program == nil || !u.program.OnDemand {
		return false
	}
	for _, path := range u.wants() {
		if u.pass.ImportPackageFact(types.NewPackage(path, ""), new(Wanted)) {
			news = true
		}
	}
	return news
}
