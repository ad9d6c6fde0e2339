package lockkey

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// assembly is a key that the function which acquires puts together itself.
type assembly struct {
	class string
	fn    string
	at    lockfacts.Site
}

// fromStrings reports keys that are put together where they are acquired, once per class and function.
func (c *checker) fromStrings() {
	all := c.assemblies()
	for _, a := range all {
		level, text, related := c.judgeAssembly(a, all)
		c.report(judge.Fault{
			Kind: "key-from-strings", Level: level, At: a.at, Class: a.class, Message: text, Related: related,
		})
	}
}

// assemblies lists them by place, the first of each class and function.
func (c *checker) assemblies() []assembly {
	var all []assembly
	for _, u := range c.uses {
		if t, ok := c.assembled(u); ok {
			class := c.Res.Resolve(t).Class()
			all = append(all, assembly{class: class, fn: root(c.acquirer(u)), at: siteOf(t)})
		}
	}
	slices.SortFunc(all, func(a, b assembly) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.fn, b.fn), byPlace(a.at, b.at))
	})
	return slices.CompactFunc(all, func(a, b assembly) bool { return a.class == b.class && a.fn == b.fn })
}

func byPlace(a, b lockfacts.Site) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// assembled reports whether the key of a use is made of text in the function that acquires: by itself, or by a function
// that only joins what it is given.
func (c *checker) assembled(u use) (keyterm.Term, bool) {
	t, fn := u.key, root(c.acquirer(u))
	if t.Op == keyterm.Built {
		return t, root(t.Fn) == fn && c.Res.JoinsOnly(t) && spellsOut(t.Args[0])
	}
	return t, root(t.Fn) == fn && spellsOut(t)
}

// acquirer is the function that acquires: the one at hand, or the one of another package that it leaves that to, which
// alone may not know that it is a lock.
func (c *checker) acquirer(u use) string {
	if u.ev.At.Package != c.Pass.Pkg.Path() && u.key.Strip().Fn != "" && lockfacts.FunctionPackage(u.key.Fn) == u.ev.At.Package {
		return u.ev.At.Function
	}
	return u.fn.String()
}

// spellsOut reports whether t joins a text that names something with a variable part.
func spellsOut(t keyterm.Term) bool {
	if t.Op != keyterm.Concat {
		return false
	}
	text, variable := false, false
	for _, a := range t.Args {
		text = text || a.Op == keyterm.Const && hasLetters(a.Text)
		variable = variable || a.Strip().Op != keyterm.Const
	}
	return text && variable
}

// judgeAssembly says how bad an assembled key is: a warning where somebody else builds the same one.
func (c *checker) judgeAssembly(a assembly, all []assembly) (finding.Level, string, []finding.Related) {
	for _, k := range c.keys {
		if k.Builder != "" && (k.Class == a.class || k.At.Pos != a.at.Pos && near(k.LockKey, c.spellingAt(a))) {
			return finding.Warning, fmt.Sprintf("the key is put together here although %s (%s) builds the keys of this lock: when one of the "+
					"two changes, they no longer exclude each other; call %s", c.short(k.Builder), judge.Brief(k.At), c.short(k.Builder)),
				[]finding.Related{judge.Related(k.At, "built here by %s", c.short(k.Builder))}
		}
	}
	if other, ok := c.alsoAssembled(a, all); ok {
		return finding.Warning, fmt.Sprintf("the key %q is put together here and at %s: when one of the two changes, they no longer exclude "+
				"each other; build it in one key function that both call", a.class, judge.Brief(other)),
			[]finding.Related{judge.Related(other, "put together here too")}
	}
	return finding.Note, fmt.Sprintf("the key %q is put together in the function that acquires: whoever needs the same lock will spell it "+
		"again; give it a key function", a.class), nil
}

// spellingAt is the spelling that belongs to an assembly.
func (c *checker) spellingAt(a assembly) lockfacts.LockKey {
	for _, k := range c.keys {
		if k.Class == a.class && k.Builder == "" && root(k.At.Function) == a.fn {
			return k.LockKey
		}
	}
	return lockfacts.LockKey{}
}

// alsoAssembled is another function that puts the same key together, here or in a package in sight.
func (c *checker) alsoAssembled(a assembly, all []assembly) (lockfacts.Site, bool) {
	for _, b := range all {
		if b.class == a.class && b.fn != a.fn {
			return b.at, true
		}
	}
	for _, k := range c.keys {
		if k.foreign && k.At.Package != c.Pass.Pkg.Path() && k.Class == a.class && onTheSpot(k) {
			return k.At, true
		}
	}
	return c.releasedAs(a)
}

// releasedAs is where another function puts the same key together to release the lock.
func (c *checker) releasedAs(a assembly) (lockfacts.Site, bool) {
	for _, fn := range c.Res.Functions {
		name := root(fn.String())
		if name == a.fn {
			continue
		}
		for _, e := range c.Res.Events(fn) {
			if e.Op.Releases() && root(e.Key.Fn) == name && spellsOut(e.Key) && !inTest(e.At.Pos) && c.Res.Resolve(e.Key).Class() == a.class {
				return siteOf(e.Key), true
			}
		}
	}
	return lockfacts.Site{}, false
}
