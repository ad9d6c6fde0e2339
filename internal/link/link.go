// Package link tells units what only the whole program knows: which types it uses as which interfaces, and which
// functions somebody else wraps in a lock.
//
// A unit is analysed without the link first. From what all units exported, the link works out which units would see
// more with the knowledge of the others, and hands it to them as a lockfacts.Program; the driver analyses those units
// again. What is found only then is a program finding.
package link

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Plan says which packages are to be analysed again, and with what knowledge.
func Plan(units []driver.Unit) map[string]*lockfacts.Program {
	l := &linker{funcs: map[string]lockfacts.Summary{}, own: map[string]*lockfacts.Fact{}, out: map[string]*lockfacts.Program{}}
	for _, u := range units {
		if u.Fact != nil {
			l.collect(u.ImportPath, u.Fact)
		}
	}
	l.implementations()
	l.guards()
	l.keys()
	l.sort()
	return l.out
}

type linker struct {
	funcs  map[string]lockfacts.Summary   // by name
	byType map[string][]lockfacts.Summary // methods that touch locks, by receiver type without *
	own    map[string]*lockfacts.Fact     // by package
	out    map[string]*lockfacts.Program
}

func (l *linker) collect(path string, f *lockfacts.Fact) {
	l.own[path] = f
	for _, s := range f.Funcs {
		l.funcs[s.Name] = s
	}
}

func (l *linker) program(path string) *lockfacts.Program {
	p := l.out[path]
	if p == nil {
		p = &lockfacts.Program{}
		l.out[path] = p
	}
	return p
}

// paths are the packages with facts, sorted, so that everything comes in the same order every time.
func (l *linker) paths() []string { return slices.Sorted(maps.Keys(l.own)) }

// implementations tells the package that declares an interface which types of the program are used as it, where a
// method of the type does something to a lock and the package cannot see the type itself.
func (l *linker) implementations() {
	for _, path := range l.paths() {
		for _, i := range l.own[path].Impls {
			declaring := packageOf(i.Interface)
			if declaring == path || declaring == packageOf(i.Type) || l.sees(declaring, i) {
				continue
			}
			if methods := l.methods(i.Type); len(methods) > 0 {
				l.tell(declaring, i, methods)
			}
		}
	}
}

// sees reports whether a package has found the use of a type as an interface itself.
func (l *linker) sees(path string, i lockfacts.Impl) bool {
	f := l.own[path]
	return f != nil && slices.Contains(f.Impls, i)
}

func (l *linker) tell(path string, i lockfacts.Impl, methods []lockfacts.Summary) {
	p := l.program(path)
	if slices.Contains(p.Impls, i) {
		return
	}
	p.Impls = append(p.Impls, i)
	for _, m := range methods {
		if !slices.ContainsFunc(p.Funcs, func(s lockfacts.Summary) bool { return s.Name == m.Name }) {
			p.Funcs = append(p.Funcs, m)
		}
	}
	if f := l.own[packageOf(i.Type)]; f != nil {
		p.Fields = append(p.Fields, f.Fields...)
		p.Classes = append(p.Classes, f.Classes...)
	}
}

// methods are the summaries of a type's methods that touch locks, none for a type that cannot acquire one: a cache or a
// session store is no lock.
func (l *linker) methods(typ string) []lockfacts.Summary {
	if l.byType == nil {
		l.byType = map[string][]lockfacts.Summary{}
		for _, name := range slices.Sorted(maps.Keys(l.funcs)) {
			bare, _, ok := strings.Cut(strings.TrimPrefix(lockfacts.GuardName(name), "("), ").")
			if ok && len(l.funcs[name].Effects) > 0 {
				l.byType[bare] = append(l.byType[bare], l.funcs[name])
			}
		}
	}
	all := l.byType[strings.TrimPrefix(typ, "*")]
	acquires := func(s lockfacts.Summary) bool {
		return slices.ContainsFunc(s.Effects, func(e lockfacts.Effect) bool { return e.Op.Acquires() })
	}
	if !slices.ContainsFunc(all, acquires) {
		return nil
	}
	return all
}

// guards tells packages which of their functions others wrap in a lock, and which of their fields hold the bare value
// although a wrapper exists.
func (l *linker) guards() {
	all, wrappers := l.allGuards()
	for _, g := range all {
		pkg := lockfacts.FunctionPackage(g.Function)
		if pkg != g.At.Package && !strings.HasPrefix(g.Function, "field ") && !l.knows(pkg, g) {
			l.guard(pkg, g)
		}
	}
	bound := l.bound()
	for _, field := range slices.Sorted(maps.Keys(bound)) {
		types := bound[field]
		if len(types) != 1 || wrappers[types[0]] {
			continue
		}
		for _, g := range all {
			if strings.HasPrefix(g.Function, "("+types[0]+").") {
				pkg := packageOf(field[:strings.LastIndexByte(field, '.')])
				l.guard(pkg, g)
				l.field(pkg, field, types[0])
			}
		}
	}
}

// knows reports whether a package has found a guard itself.
func (l *linker) knows(path string, g lockfacts.Guard) bool {
	f := l.own[path]
	return f != nil && slices.Contains(f.Guards, g)
}

// allGuards are the guards of the program, those with two classes left out, and the types that wrap.
func (l *linker) allGuards() (all []lockfacts.Guard, wrappers map[string]bool) {
	byName := map[string]lockfacts.Guard{}
	unsure := map[string]bool{}
	wrappers = map[string]bool{}
	for _, path := range l.paths() {
		for _, g := range l.own[path].Guards {
			if old, ok := byName[g.Function]; ok && old.Class != g.Class {
				unsure[g.Function] = true
			}
			byName[g.Function] = g
			if w := lockfacts.GuardName(g.Wrapper); strings.HasPrefix(w, "(") {
				wrappers[w[1:strings.Index(w, ")")]] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if !unsure[name] {
			all = append(all, byName[name])
		}
	}
	return all, wrappers
}

// bound are the types that stand in each interface field, anywhere in the program.
func (l *linker) bound() map[string][]string {
	out := map[string][]string{}
	for _, path := range l.paths() {
		for _, b := range l.own[path].Bound {
			if !slices.Contains(out[b.Interface], b.Type) {
				out[b.Interface] = append(out[b.Interface], b.Type)
			}
		}
	}
	return out
}

func (l *linker) guard(path string, g lockfacts.Guard) {
	if p := l.program(path); !slices.Contains(p.Guards, g) {
		p.Guards = append(p.Guards, g)
	}
}

func (l *linker) field(path, field, typ string) {
	p := l.program(path)
	if !slices.ContainsFunc(p.Fields, func(n lockfacts.Named) bool { return n.Name == field }) {
		p.Fields = append(p.Fields, lockfacts.Named{Name: field, Value: keyterm.Term{Op: keyterm.Object, Text: typ}})
	}
}

// sort brings what units are told into one order.
func (l *linker) sort() {
	for _, p := range l.out {
		slices.SortFunc(p.Funcs, func(a, b lockfacts.Summary) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(p.Guards, func(a, b lockfacts.Guard) int { return cmp.Compare(a.Function, b.Function) })
		slices.SortFunc(p.Fields, func(a, b lockfacts.Named) int { return cmp.Compare(a.Name, b.Name) })
		p.Fields = slices.CompactFunc(p.Fields, func(a, b lockfacts.Named) bool { return a.Name == b.Name })
		slices.SortFunc(p.Classes, func(a, b lockfacts.LockClass) int { return cmp.Compare(a.Class, b.Class) })
		p.Classes = slices.CompactFunc(p.Classes, func(a, b lockfacts.LockClass) bool { return a.Class == b.Class })
	}
}

// packageOf is the import path of a type's full name, with or without a leading *.
func packageOf(typ string) string { return lockfacts.FunctionPackage(typ) }
