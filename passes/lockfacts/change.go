package lockfacts

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is what is new in facts since the last round, as far as it decides who has to be analysed again. The zero
// Change is none.
type Change struct {
	all   bool          // anything may depend on it
	names map[name]bool // only who mentions one of these can depend on it
}

// A name is what calls a function. A method is called by packages that import the type's package only through others.
type name struct {
	pkg  string // of a function that is no method: who calls it imports this
	bare string
}

// nameOf is the name of a function by its full name. A closure counts as the function around it: that one hands it out.
func nameOf(full string) name {
	full, _, _ = strings.Cut(full, "$")
	dot := strings.LastIndexByte(full, '.')
	if strings.HasPrefix(full, "(") || strings.HasPrefix(full, "field ") || dot < 0 {
		return name{bare: full[dot+1:]}
	}
	return name{full[:dot], full[dot+1:]}
}

// Changes compares a fact with what it was; either may be nil. What functions do, which of them are guarded, and which
// types stand behind an interface matters to those who name the functions and methods. Values of fields and variables
// and lock classes reach packages that name nothing. What only the link reads changes nothing, nor do the values in the
// first fact of a package: who needed those has asked for them (see Wanted). visible are the facts that the package
// itself sees.
func Changes(old, now *Fact, visible map[string]*Fact) Change {
	if old == nil && now != nil {
		now = now.withoutValues()
	}
	old, now = orEmpty(old), orEmpty(now)
	c := Change{names: map[name]bool{}}
	c.all = old.Version != now.Version || !equal(old.Globals, now.Globals) || !equal(old.Fields, now.Fields) ||
		!equal(old.Classes, now.Classes) || !equal(old.Keys, now.Keys) || !equal(old.Clients, now.Clients)
	addChanged(c.names, old.Funcs, now.Funcs, func(s Summary) string { return s.Name })
	addChanged(c.names, old.Guards, now.Guards, func(g Guard) string { return g.Function })
	if !equal(old.Impls, now.Impls) {
		c.implemented(old, now, visible)
	}
	return c
}

// implemented adds the methods that something is known of, of the types that are used as an interface in one of the
// facts only.
func (c *Change) implemented(old, now *Fact, visible map[string]*Fact) {
	types := map[string]bool{}
	for _, pair := range [][2]*Fact{{old, now}, {now, old}} {
		for _, i := range pair[0].Impls {
			if !slices.Contains(pair[1].Impls, i) {
				types["("+strings.TrimPrefix(i.Type, "*")+")"] = true
			}
		}
	}
	add := func(f *Fact) {
		for i := range f.Funcs {
			full := GuardName(f.Funcs[i].Name)
			if dot := strings.LastIndexByte(full, '.'); dot > 0 && types[full[:dot]] {
				c.names[nameOf(full)] = true
			}
		}
	}
	add(old)
	add(now)
	for _, f := range visible {
		add(f)
	}
}

// withoutValues is what a fact says of locks, and not of the values that functions return and variables hold.
func (f *Fact) withoutValues() *Fact {
	g := *f
	g.Globals, g.Fields, g.Funcs = nil, nil, nil
	for _, s := range f.Funcs {
		if len(s.Effects)+len(s.Runs)+len(s.Lent)+len(s.Comparisons) > 0 || s.GuardedBy {
			g.Funcs = append(g.Funcs, s)
		}
	}
	return &g
}

func orEmpty(f *Fact) *Fact {
	if f == nil {
		return &Fact{Version: Version}
	}
	return f
}

func equal[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

// addChanged adds the names of what stands in one of the lists only, or differs.
func addChanged[T any](names map[name]bool, old, now []T, full func(T) string) {
	before, after := byName(old, full), byName(now, full)
	for n := range after {
		if !equal(before[n], after[n]) {
			names[nameOf(n)] = true
		}
	}
	for n := range before {
		if after[n] == nil {
			names[nameOf(n)] = true
		}
	}
}

func byName[T any](list []T, full func(T) string) map[string][]T {
	out := map[string][]T{}
	for _, x := range list {
		out[full(x)] = append(out[full(x)], x)
	}
	return out
}

// Add joins another change to c.
func (c *Change) Add(more Change) {
	c.all = c.all || more.all
	if len(more.names) == 0 {
		return
	}
	names := maps.Clone(more.names)
	maps.Copy(names, c.names)
	c.names = names
}

// None reports whether nothing has changed.
func (c Change) None() bool { return !c.all && len(c.names) == 0 }

// Concerns reports whether a package can depend on what has changed: imports are what it imports itself, and source
// visits its files until visit says false.
func (c Change) Concerns(imports []string, source func(visit func([]byte) bool)) bool {
	if c.all {
		return true
	}
	var names []string
	for n := range c.names {
		if n.pkg == "" || slices.Contains(imports, n.pkg) {
			names = append(names, n.bare)
		}
	}
	if len(names) == 0 {
		return false
	}
	slices.Sort(names)
	found := false
	source(func(text []byte) bool {
		found = slices.ContainsFunc(names, func(n string) bool { return mentions(text, n) })
		return !found
	})
	return found
}
