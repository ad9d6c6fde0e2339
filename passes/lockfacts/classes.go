package lockfacts

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// classes collects the key classes and shapes that are known to be locks: those of the locks that were paired, and
// those that one function acquires and another releases or extends by comparing the owner. A comparison says "lock"
// without a flow from one to the other; so does a random value, which only makes sense as an owner.
func (u *unit) classes(locks []Lock) []LockClass {
	byShape := map[string]*LockClass{}
	for _, f := range u.sortedFacts() {
		for _, c := range f.Classes {
			byShape[c.Class] = &c
		}
	}
	for i := range locks {
		u.classOf(&locks[i], byShape)
	}
	u.comparedShapes(byShape)
	out := make([]LockClass, 0, len(byShape))
	for _, c := range byShape {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b LockClass) int { return cmpString(a.Class, b.Class) })
	u.prove(byShape)
	return out
}

func (u *unit) sortedFacts() []*Fact {
	var paths []string
	for p := range u.facts {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var out []*Fact
	for _, p := range paths {
		out = append(out, u.facts[p])
	}
	if u.program != nil && len(u.program.Classes) > 0 {
		out = append(out, &Fact{Classes: u.program.Classes})
	}
	return out
}

func (u *unit) classOf(l *Lock, byShape map[string]*LockClass) {
	s := shape(l.Fn, l.Acquire.Key)
	if s == "" || unrepeated(l.Acquire.Key) {
		return
	}
	checked := slices.ContainsFunc(l.Releases, func(e Event) bool { return e.Guard == clientmodel.Atomic })
	if c, ok := byShape[s]; ok {
		c.Checked = c.Checked || checked
		return
	}
	byShape[s] = &LockClass{Class: s, Acquire: l.Acquire.At, Checked: checked, Unit: l.Acquire.Unit,
		TTL: closed(l.Acquire.TTL), Owner: closed(l.Acquire.Owner)}
}

func closed(t keyterm.Term) keyterm.Term {
	if t.IsClosed() {
		return t
	}
	return keyterm.Term{}
}

// own is an effect at its own place.
type own struct {
	fn *ssa.Function
	e  *Event
}

// ownEvents are the effects of commands that stand in this unit, each in the function that it stands in.
func (u *unit) ownEvents() []own {
	var out []own
	for _, fn := range u.fns {
		a := u.activities[fn]
		if a == nil {
			continue
		}
		for i := range a.events {
			if len(a.events[i].Path) == 0 {
				out = append(out, own{fn, &a.events[i]})
			}
		}
	}
	return out
}

// comparedShapes adds the shapes that one function acquires and another gives back with proof of the owner, and those
// of locks that were proven below, where the key was still a parameter.
func (u *unit) comparedShapes(byShape map[string]*LockClass) {
	all := u.shaped()
	same := map[string][]shaped{}
	for _, a := range all {
		same[a.shape] = append(same[a.shape], a)
	}
	for _, a := range all {
		if !a.e.Op.Acquires() || byShape[a.shape] != nil || unrepeated(a.e.Key) {
			continue
		}
		c := &LockClass{Class: a.shape, Acquire: a.e.At, TTL: closed(a.e.TTL), Unit: a.e.Unit, Owner: closed(a.e.Owner)}
		if a.e.Closed {
			byShape[a.shape] = c
			continue
		}
		owner := u.resolve(a.e.Owner)
		for _, r := range same[a.shape] {
			if r.e.Op.Acquires() {
				continue
			}
			checks := r.e.Guard == clientmodel.Atomic || r.e.Guard == clientmodel.NotAtomic
			if checks && ownersOp(r.e.Op) || isRandom(owner) && r.e.Op == clientmodel.Delete && !readAsData(same[a.shape]) {
				c.Checked = r.e.Guard == clientmodel.Atomic
				byShape[a.shape] = c
				break
			}
		}
	}
}

// readAsData reports whether some function reads what stands under the key and does not compare it: a session, a token
// that was handed out, a cache.
func readAsData(sameShape []shaped) bool {
	for _, get := range sameShape {
		if get.e.Op != clientmodel.Get || len(get.e.Path) > 0 {
			continue
		}
		compared := slices.ContainsFunc(sameShape, func(x shaped) bool {
			return x.e.Fn == get.e.Fn && x.e.Guard == clientmodel.NotAtomic
		})
		if !compared {
			return true
		}
	}
	return false
}

// unrepeated reports whether a key is new every time: nobody can contend for it.
func unrepeated(key keyterm.Term) bool {
	found := false
	key.Walk(func(p keyterm.Term) bool {
		found = found || isRandom(p)
		return !found
	})
	return found
}

// shaped is an effect and the shape of its key.
type shaped struct {
	e     *Event
	shape string
}

// shaped lists the effects whose keys have a shape. An acquire whose key goes into the handle that its function returns
// has the shape that the handle's methods see, too.
func (u *unit) shaped() []shaped {
	var out []shaped
	for _, fn := range u.fns {
		a := u.activities[fn]
		if a == nil {
			continue
		}
		for i := range a.events {
			e := &a.events[i]
			if s := shape(fn, e.Key); s != "" {
				out = append(out, shaped{e, s})
			}
			if e.Op.Acquires() && !e.Closed {
				for _, s := range u.handleShapes(fn, e.Key) {
					out = append(out, shaped{e, s})
				}
			}
		}
	}
	return out
}

// handleShapes are the fields of the objects that a function returns which hold the key.
func (u *unit) handleShapes(fn *ssa.Function, key keyterm.Term) []string {
	var out []string
	for _, t := range u.results(fn) {
		if t.Op != keyterm.Object || t.Text == "" {
			continue
		}
		for i, name := range t.Names {
			if i < len(t.Args) && keyterm.Equal(t.Args[i], key) {
				out = append(out, t.Text+"."+name)
			}
		}
	}
	return out
}

// prove marks the effects on keys of known lock classes.
func (u *unit) prove(byShape map[string]*LockClass) {
	for _, fn := range u.fns {
		a := u.activities[fn]
		if a == nil {
			continue
		}
		for i := range a.events {
			if s := shape(fn, a.events[i].Key); s != "" && byShape[s] != nil {
				a.events[i].Proven = true
			}
		}
		u.proveSummary(fn, byShape)
	}
}

func (u *unit) proveSummary(fn *ssa.Function, byShape map[string]*LockClass) {
	s := u.summaries[fn]
	if s == nil {
		return
	}
	for i := range s.Effects {
		if sh := shape(fn, s.Effects[i].Key); sh != "" && byShape[sh] != nil {
			s.Effects[i].Proven = true
		}
	}
}

// ownClasses are the classes whose acquire stands in this unit, or that were proven here.
func ownClasses(u *unit, all []LockClass) []LockClass {
	known := map[string]bool{}
	for _, f := range u.facts {
		for _, c := range f.Classes {
			known[c.Class] = true
		}
	}
	var out []LockClass
	for _, c := range all {
		if !known[c.Class] {
			out = append(out, c)
		}
	}
	return out
}

// ownersOp reports whether an operation under a comparison is one that only an owner does. To compare and to set another
// value is what counters and versions do, too.
func ownersOp(op clientmodel.Op) bool {
	return op.Releases() || op.Extends() && op != clientmodel.CompareAndSet
}
