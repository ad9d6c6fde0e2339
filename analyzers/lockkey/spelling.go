package lockkey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// spelling is a place that spells a key, in this package or in one that is in sight.
type spelling struct {
	lockfacts.LockKey
	// foreign: only other packages acquire with it. imported: it stands in a package that this one imports.
	foreign, imported bool
}

// spellings collects them. The same place is one spelling, whoever acquires with it.
func (c *checker) spellings() {
	type place struct {
		class string
		at    keyterm.Pos
	}
	index := map[place]int{}
	add := func(k lockfacts.LockKey, foreign, imported bool) {
		p := place{k.Class, k.At.Pos}
		if i, ok := index[p]; ok {
			if imported {
				c.keys[i].Uses += k.Uses
			}
			return
		}
		index[p] = len(c.keys)
		c.keys = append(c.keys, spelling{LockKey: k, foreign: foreign, imported: imported})
	}
	for _, k := range c.Res.Keys {
		add(k, false, k.At.Package != c.Pass.Pkg.Path())
	}
	for _, path := range sortedPaths(c.Res.Facts()) {
		for _, k := range c.Res.Facts()[path].Keys {
			add(k, true, true)
		}
	}
	if c.Res.Program != nil {
		for _, k := range c.Res.Program.Keys {
			add(k, true, false)
		}
	}
}

func sortedPaths(facts map[string]*lockfacts.Fact) []string {
	paths := make([]string, 0, len(facts))
	for p := range facts {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// mismatched reports pairs of classes that are probably meant to be one, at every place that spells the odd one.
func (c *checker) mismatched() {
	classes := c.classes()
	for i, a := range classes {
		for _, b := range classes[i+1:] {
			if !near(a.spellings[0].LockKey, b.spellings[0].LockKey) {
				continue
			}
			odd, right := odder(a, b)
			for _, s := range odd.spellings {
				c.mismatch(s, right.spellings[0])
			}
		}
	}
}

func (c *checker) mismatch(odd, right spelling) {
	if odd.foreign && (right.foreign || !odd.imported) || c.theirs(odd) && c.theirs(right) {
		return // its own package says so
	}
	if odd.At.Pos == right.At.Pos {
		return // one text, and what is put into it was chosen
	}
	c.report(judge.Fault{
		Kind: "mismatched-prefix", Level: finding.Error, At: odd.At, Class: odd.Class,
		Message: fmt.Sprintf("%q here and %q at %s differ in the spelling only: whoever acquires the one does not exclude whoever holds "+
			"the other; spell the key in one place, or give it a name that says what is different", odd.Class, right.Class, judge.Brief(right.At)),
		Related: []finding.Related{judge.Related(right.At, "spelled %q here", right.Class)},
	})
}

// class is a lock class with all its spellings, the declared ones first.
type class struct {
	spellings []spelling
	uses      int
	foreign   bool // some spelling is an imported package's
}

func (c *checker) classes() []class {
	index := map[string]int{}
	var out []class
	for _, s := range c.keys {
		i, ok := index[s.Class]
		if !ok {
			i = len(out)
			index[s.Class] = i
			out = append(out, class{})
		}
		out[i].spellings = append(out[i].spellings, s)
		out[i].uses += s.Uses
		out[i].foreign = out[i].foreign || s.imported
	}
	for i := range out {
		slices.SortStableFunc(out[i].spellings, func(a, b spelling) int {
			return cmp.Or(cmp.Compare(rank(onTheSpot(a)), rank(onTheSpot(b))), byPlace(a.At, b.At))
		})
	}
	return out
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Related reports whether two packages that acquire these keys should know of each other: one class that is spelled at
// two places, or two that are spelled nearly alike. One key function that both call is no news.
func Related(a, b lockfacts.LockKey) bool {
	if a.Class == b.Class {
		return a.At.Pos != b.At.Pos
	}
	return near(a, b)
}

// near reports whether two keys are spelled nearly alike and vary over the same thing.
func near(a, b lockfacts.LockKey) bool {
	yes, sure := alike(a.Class, b.Class)
	return yes && (sure || sameVars(a.Vars, b.Vars))
}

// sameVars compares what the variable parts are called: a lock over users and one over a company's users may differ by
// an s. A name that is part of the other one says the same.
func sameVars(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := strings.ToLower(a[i]), strings.ToLower(b[i])
		if !strings.HasSuffix(x, y) && !strings.HasSuffix(y, x) && !strings.HasPrefix(x, y) && !strings.HasPrefix(y, x) {
			return false
		}
	}
	return true
}

// odder tells which of two classes is the odd one: the one that is only put together on the spot beside one that a key
// function builds, else the one that is used less often, else the importing package's, else the later one.
func odder(a, b class) (odd, right class) {
	x, y := a.spellings[0], b.spellings[0]
	order := cmp.Or(
		cmp.Compare(rank(onTheSpot(x)), rank(onTheSpot(y))), cmp.Compare(b.uses, a.uses),
		cmp.Compare(rank(b.foreign), rank(a.foreign)), byPlace(x.At, y.At))
	if order > 0 {
		return a, b
	}
	return b, a
}

// duplicate reports texts that are spelled again although a key function or a constant has them. Keys that are all put
// together on the spot are key-from-strings, and not reported twice.
func (c *checker) duplicate() {
	for i, a := range c.keys {
		for _, b := range c.keys[i+1:] {
			if a.Class != b.Class || a.foreign && b.foreign || c.theirs(a) && c.theirs(b) || root(a.At.Function) == root(b.At.Function) && a.At.Function != "" {
				continue
			}
			if onTheSpot(a) && onTheSpot(b) {
				continue
			}
			later, earlier := later(a, b)
			if later.foreign {
				continue
			}
			c.report(judge.Fault{
				Kind: "duplicate-prefix", Level: finding.Warning, At: later.At, Class: later.Class,
				Message: fmt.Sprintf("the key %q is spelled here and at %s: when one of the two changes, they no longer exclude each other; "+
					"spell it in one place that both use", later.Class, judge.Brief(earlier.At)),
				Related: []finding.Related{judge.Related(earlier.At, "spelled here first")},
			})
		}
	}
}

// theirs reports whether a spelling stands in another package that acquires the key itself: what is wrong with two such
// spellings is for that package, or for the link, to say. So it is where the package is too far away to be known.
func (c *checker) theirs(s spelling) bool {
	f := c.Res.Facts()[s.At.Package]
	if f == nil {
		return s.At.Package != c.Pass.Pkg.Path()
	}
	return slices.ContainsFunc(f.Keys, func(k lockfacts.LockKey) bool { return k.Class == s.Class })
}

// onTheSpot is a key that is put together where it is acquired.
func onTheSpot(s spelling) bool { return s.Builder == "" && spellsOut(s.Key.Strip()) }

// later is the spelling of the importing package, else the later one by file and line.
func later(a, b spelling) (later, earlier spelling) {
	switch {
	case a.imported != b.imported && b.imported:
		return a, b
	case a.imported != b.imported:
		return b, a
	case byPlace(a.At, b.At) > 0:
		return a, b
	}
	return b, a
}

// otherClient reports a release whose owner value was stored under another key: one of the two clients puts a prefix
// before its keys.
func (c *checker) otherClient() {
	for _, fn := range c.Res.Functions {
		events := c.Res.Events(fn)
		for i := range events {
			for j := range events {
				if astray(&events[i], &events[j]) {
					c.wrongClient(events[i], events[j])
				}
			}
		}
	}
}

// astray reports whether a release proves the ownership of an acquire whose key is its own behind a prefix.
func astray(acq, rel *lockfacts.Event) bool {
	if !acq.Op.Acquires() || rel.Op != clientmodel.CompareAndDelete || acq.Owner.Strip().Op != keyterm.Fresh ||
		!keyterm.Equal(acq.Owner, rel.Owner) || acq.Key.HasUnknown() || rel.Key.HasUnknown() || keyterm.Equal(acq.Key, rel.Key) {
		return false
	}
	a, b := acq.Key.Class(), rel.Key.Class()
	return b != "" && len(a) > len(b) && strings.HasSuffix(a, b)
}

func (c *checker) wrongClient(acq, rel lockfacts.Event) {
	c.report(judge.Fault{
		Kind: "mismatched-prefix", Level: finding.Error, At: rel.At, Class: rel.Key.Class(),
		Message: fmt.Sprintf("the acquire at %s goes through a client that puts a prefix before the key, this release does not: it looks at "+
			"another key, and the lock stays until its TTL ends; release through the same client", judge.Brief(acq.At)),
		Related: []finding.Related{judge.Related(acq.At, "acquired here under a longer key")},
	})
}

// shared reports locks whose key is overwritten as data somewhere else.
func (c *checker) shared() {
	for _, fn := range c.Res.Functions {
		for _, e := range c.Res.Events(fn) {
			if e.Op == clientmodel.Set && !inTest(e.At.Pos) {
				c.overwritten(c.Res.Resolve(e.Key).Class(), e)
			}
		}
	}
}

func (c *checker) overwritten(class string, e lockfacts.Event) {
	for _, k := range c.keys {
		if k.foreign || !hasLetters(strings.ReplaceAll(class, "{}", "")) || k.Class != class || root(k.Acquire.Function) == root(e.Fn.String()) {
			continue
		}
		c.report(judge.Fault{
			Kind: "shared-key", Level: finding.Note, At: k.Acquire, Class: class,
			Message: fmt.Sprintf("the key %q is a lock here and a value at %s: writing the value takes the lock away from its holder, and the "+
				"holder's release removes the value; give the lock a key of its own", class, judge.Brief(e.At)),
			Related: []finding.Related{judge.Related(e.At, "written here")},
		})
	}
}

// short is a function's name as the analysed package would write it.
func (c *checker) short(function string) string {
	name := root(function)
	pkg := lockfacts.FunctionPackage(function)
	name = strings.Replace(name, pkg+".", "", 1)
	if pkg == c.Pass.Pkg.Path() {
		return name
	}
	qualifier := pkg[strings.LastIndexByte(pkg, '/')+1:] + "."
	if i := strings.LastIndexAny(name, "(*"); i >= 0 {
		return name[:i+1] + qualifier + name[i+1:]
	}
	return qualifier + name
}
