package lockfacts

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Lock is an acquire with the releases and extends of the same key in one function, called helpers included.
type Lock struct {
	Fn       *ssa.Function
	Acquire  Event
	Releases []Event
	Extends  []Event
	// Losers are releases that run only when the acquire said no.
	Losers []Event
	// Section is what runs while the lock is held.
	Section *lockflow.Reach

	collection *collection // see Collected
}

// Covers reports whether the lock is held at an instruction of its function.
func (l *Lock) Covers(i ssa.Instruction) bool {
	if i == l.Acquire.Instr || !l.Section.Has(i) {
		return false
	}
	for _, r := range l.Releases {
		if r.Instr == i {
			return false
		}
	}
	return true
}

func (l *Lock) held() Held {
	return Held{Key: l.Acquire.Key, Acquire: l.Acquire.At, Proven: true}
}

// pair finds the locks of a function: an acquire and, behind it on a path on which it is held, a release of the same
// key. What happens to the key on the success path decides: a key that is only deleted after a failure is a mark that
// is undone, one that is overwritten is a result that is kept.
func (u *unit) pair(fn *ssa.Function, a *activity) []Lock {
	markAttempts(a)
	var locks []Lock
	for i := range a.events {
		acq := &a.events[i]
		if !acq.Op.Acquires() || acq.Closed {
			continue
		}
		if l, ok := u.lockOf(fn, a, acq); ok {
			locks = append(locks, l)
		}
	}
	for i := range locks {
		u.close(&locks[i], a)
	}
	markRenewed(a)
	return locks
}

// markRenewed notes which acquires have an extend of the same key beside them, in a goroutine as a rule.
func markRenewed(a *activity) {
	for i := range a.events {
		acq := &a.events[i]
		for _, x := range a.events {
			if acq.Op.Acquires() && x.Op.Extends() && (x.Async || len(x.Path) > 0) && keyterm.Equal(x.Key, acq.Key) {
				acq.Renewed = true
			}
		}
	}
}

// lockOf looks for the releases of one acquire.
func (u *unit) lockOf(fn *ssa.Function, a *activity, acq *Event) (Lock, bool) {
	l := Lock{Fn: fn, Acquire: *acq}
	held := u.walk(acq, clientmodel.HeldScenario, nil)
	own := func(v ssa.Value) bool { _, ok := acq.assume(clientmodel.HeldScenario)(v); return ok }
	undoOnly := true
	for i := range a.events {
		e := &a.events[i]
		if e == acq || e.Closed || !keyterm.Equal(e.Key, acq.Key) || !held.Has(e.Instr) && !e.follows(acq) && !early(e, acq) {
			continue
		}
		switch {
		case e.Op == clientmodel.Set:
			return l, false
		case e.Op.Releases():
			if !e.OnError && !behindError(e.Instr.Block(), acq.Instr.Block(), own) {
				undoOnly = false
			}
			l.Releases = append(l.Releases, *e)
		case e.Op.Extends():
			l.Extends = append(l.Extends, *e)
		}
	}
	if len(l.Releases) == 0 || undoOnly {
		return l, false
	}
	u.scenarios(&l, acq)
	l.Losers = u.losers(a, acq)
	l.Section = u.section(&l, acq)
	return l, true
}

// ends stops the walk through a section at a release that runs where it stands.
func (l *Lock) ends(i ssa.Instruction) bool {
	for _, r := range l.Releases {
		if r.Instr == i && !r.Deferred && !r.Async && !r.Maybe {
			return true
		}
	}
	return false
}

// scenarios finds the releases that also run when the acquire said no.
func (u *unit) scenarios(l *Lock, acq *Event) {
	if acq.outcome == nil || acq.Deferred || acq.Async {
		return
	}
	taken := u.walk(acq, clientmodel.TakenScenario, nil)
	for i := range l.Releases {
		r := &l.Releases[i]
		if r.Conditional || r.Maybe || r.OnError { // a condition inside the helper or closure may be the check
			r.WhenTaken = (early(r, acq) || taken.Has(r.Instr)) && u.runsAnyway(r, acq, clientmodel.TakenScenario)
			continue
		}
		r.WhenTaken = !taken.Cut && (taken.Has(r.Instr) || early(r, acq))
	}
}

// close marks the events of a lock: callers need not pair them again.
func (u *unit) close(l *Lock, a *activity) {
	mark := func(of Event) {
		for i := range a.events {
			e := &a.events[i]
			if e.Instr == of.Instr && e.At == of.At && e.Op == of.Op {
				e.Closed, e.Proven = true, true
			}
		}
	}
	mark(l.Acquire)
	for _, r := range l.Releases {
		mark(r)
	}
	for _, x := range l.Extends {
		mark(x)
	}
}

// shape is a key as methods of one type see it: the receiver by its type, so that the methods of a lock object meet.
// It is "" for a key that says nothing: a parameter on its own.
func shape(fn *ssa.Function, t keyterm.Term) string {
	if c := t.Class(); c != "" && strings.Trim(c, "{}:/-_. ") != "" {
		return c
	}
	root := t.Strip()
	for root.Op == keyterm.Field {
		root = root.Args[0]
	}
	if t.Strip().Op != keyterm.Field || root.Op != keyterm.Param || root.Index != 0 || fn.Signature.Recv() == nil {
		return ""
	}
	recv := typeName(fn.Signature.Recv().Type())
	return strings.ReplaceAll(t.Strip().String(), keyterm.ParamName(root.Text, 0), recv)
}
