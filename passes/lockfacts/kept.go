package lockfacts

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Kept says that an acquire stores its owner value in a field of an object, also when it does not get the lock, or in a
// map without a mutex. That is a fault if the object or the map is shared, which only those know who have it.
type Kept struct {
	At    Site         // the store
	In    keyterm.Term // the object, or the map
	Field string       // "import/path.Type.field", "" for a map
}

// findKept looks for the stores of the owner values that a function acquires with.
func (u *unit) findKept(fn *ssa.Function, a *activity) {
	for i := range a.events {
		e := &a.events[i]
		if e.Op != clientmodel.SetIfAbsent || e.Kept.At.IsValid() || !isRandom(e.Owner.Strip()) || e.outcome == nil {
			continue
		}
		for _, b := range fn.Blocks {
			for _, x := range b.Instrs {
				switch x := x.(type) {
				case *ssa.Store:
					u.keep(fn, e, x)
				case *ssa.MapUpdate:
					u.keepInMap(fn, e, x)
				}
			}
		}
	}
}

func (u *unit) keep(fn *ssa.Function, e *Event, s *ssa.Store) {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok || e.Kept.At.IsValid() {
		return
	}
	f := u.frame(fn)
	in := f.value(fa.X)
	if !dependsOnParams(in) || in.Op == keyterm.Object || !keyterm.Equal(f.value(s.Val), e.Owner) {
		return
	}
	if u.runsIn(e, s, clientmodel.TakenScenario) && !u.keepsMutex(e, fn) {
		pos := s.Pos()
		if !pos.IsValid() {
			pos = fa.Pos()
		}
		e.Kept = Kept{At: Site{Pos: u.pos(pos), Function: fn.String(), Package: u.pass.Pkg.Path()}, In: in,
			Field: fieldName(fa.X.Type(), fa.Field)}
	}
}

// keepInMap is keep for a map that the function is given.
func (u *unit) keepInMap(fn *ssa.Function, e *Event, m *ssa.MapUpdate) {
	f := u.frame(fn)
	in := f.value(m.Map)
	if e.Kept.At.IsValid() || in.Op != keyterm.Param || LocksMutex(fn) || !keyterm.Equal(f.value(m.Value), e.Owner) {
		return
	}
	e.Kept = Kept{At: Site{Pos: u.pos(m.Pos()), Function: fn.String(), Package: u.pass.Pkg.Path()}, In: in}
}

// runsIn reports whether an instruction of the acquire's function runs in a scenario of the acquire, before it included.
func (u *unit) runsIn(e *Event, i ssa.Instruction, s clientmodel.Scenario) bool {
	if e.outcome == nil {
		return false
	}
	if i != e.Instr && precedes(i, e.Instr) {
		return true
	}
	reach := u.walk(e, s, nil)
	return !reach.Cut && reach.Has(i)
}

// dropUnread forgets what is kept in fields of this package that no release or extend reads.
func (u *unit) dropUnread() {
	read := map[string]bool{}
	for _, fn := range u.fns {
		for _, e := range u.eventsOf(fn) {
			if !e.Op.Releases() && !e.Op.Extends() || !u.nearest(&e) {
				continue
			}
			e.Owner.Walk(func(p keyterm.Term) bool {
				if p.Op == keyterm.Field && len(p.Names) > 0 {
					read[p.Names[0]+"."+p.Text] = true
				}
				return true
			})
		}
	}
	unread := func(k *Kept) {
		if k.Field != "" && k.At.Package == u.pass.Pkg.Path() && !read[k.Field] {
			*k = Kept{}
		}
	}
	for _, fn := range u.fns {
		if a := u.activities[fn]; a != nil {
			for i := range a.events {
				unread(&a.events[i].Kept)
			}
		}
		if s := u.summaries[fn]; s != nil {
			for i := range s.Effects {
				unread(&s.Effects[i].Kept)
			}
		}
	}
}

// KeepsMutex reports whether an in-process mutex is locked while the lock is held: the acquire's function has not
// unlocked it when it returns with the lock, or has the release in itself and unlocks at its end.
func (r *Result) KeepsMutex(e *Event) bool { return r.u.keepsMutex(e, e.Fn) }

func (u *unit) keepsMutex(e *Event, fn *ssa.Function) bool {
	locks, atEnd, unlocks := mutexUse(fn)
	for _, i := range unlocks {
		if u.runsIn(e, i, clientmodel.HeldScenario) {
			return false
		}
	}
	return locks && (!atEnd || e.Closed)
}

// LocksMutex reports whether a function locks an in-process mutex.
func LocksMutex(fn *ssa.Function) bool {
	locks, _, _ := mutexUse(fn)
	return locks
}

// mutexUse says whether a function locks an in-process mutex, whether it unlocks one when it ends, and where it does on
// the way.
func mutexUse(fn *ssa.Function) (locks, atEnd bool, unlocks []ssa.Instruction) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok || c.Common().StaticCallee() == nil {
				continue
			}
			switch c.Common().StaticCallee().String() {
			case "(*sync.Mutex).Lock", "(*sync.Mutex).TryLock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).TryLock":
				locks = true
			case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock":
				if _, deferred := i.(*ssa.Defer); deferred {
					atEnd = true
				} else {
					unlocks = append(unlocks, i)
				}
			}
		}
	}
	return locks, atEnd, unlocks
}
