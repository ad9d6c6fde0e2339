package lockfacts

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// A helper may be given the function that sends commands: `do("GET", key)`, a comparison, `do("DEL", key)`. What the
// runs do is known to its callers alone, that the second stands behind a comparison of what the first returned to the
// helper alone. So a run says so, and callers whose first run turns out to read what the second deletes put the two
// together.

// askedRun finds the earlier run whose result decides if r runs.
func (u *unit) askedRun(fn *ssa.Function, a *activity, r *runEvent) (question, Site) {
	if r.Asked.IsValid() {
		return question{value: r.Value}, r.Asked
	}
	for i := range a.runs {
		first := &a.runs[i]
		if first.Instr == r.Instr || first.Instr.Value() == nil || !precedes(first.Instr, r.Instr) {
			continue
		}
		q, ok := asked(u.frame(fn), &Event{Instr: first.Instr, Fn: fn})
		if ok && u.decides(q, r.Instr) {
			return q, first.At
		}
	}
	return question{}, Site{}
}

// behindRun marks a command that a helper only sends if an earlier one, sent at the place asked, found the owner.
func (a *activity) behindRun(e *Event, asked Site, owner keyterm.Term) {
	if !asked.IsValid() || e.Guard != clientmodel.Unchecked || !e.Op.Releases() && !e.Op.Extends() {
		return
	}
	e.Guard = clientmodel.UnknownGuarantee
	for i := range a.events {
		get := &a.events[i]
		if get.Instr == e.Instr && get.At == asked && get.Op == clientmodel.Get && keyterm.Equal(get.Key, e.Key) {
			e.Guard, e.Owner = clientmodel.NotAtomic, owner
		}
	}
}
