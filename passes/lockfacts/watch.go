package lockfacts

import (
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// markWatched sees transactions whose commands are called one by one: WATCH, read, MULTI, the queued commands, EXEC. A
// queued delete or extend of a watched key is as good as a compare-and-delete.
func (u *unit) markWatched(a *activity) {
	for i := range a.events {
		e := &a.events[i]
		if !e.Queued || !e.Op.Releases() && !e.Op.Extends() || !e.begun(a) {
			continue
		}
		for j := range a.events {
			if w := &a.events[j]; w.Op == clientmodel.Watch && keyterm.Equal(w.Key, e.Key) && precedes(w.Instr, e.Instr) {
				u.underWatch(&e.Effect, []keyterm.Term{w.Key}, readBetween(a, w, e))
			}
		}
	}
}

// begun reports whether a transaction begins before the command, or in the same call.
func (e *Event) begun(a *activity) bool {
	for i := range a.events {
		b := &a.events[i]
		if b.Op == clientmodel.Begin && (b.Instr == e.Instr && b.element < e.element || b.Instr != e.Instr && precedes(b.Instr, e.Instr)) {
			return true
		}
	}
	return false
}

// readBetween are the keys that are read behind the WATCH and before the command.
func readBetween(a *activity, w, e *Event) map[string]bool {
	reads := map[string]bool{}
	for i := range a.events {
		g := &a.events[i]
		if g.Op == clientmodel.Get && precedes(w.Instr, g.Instr) && precedes(g.Instr, e.Instr) {
			reads[g.Key.String()] = true
		}
	}
	return reads
}
