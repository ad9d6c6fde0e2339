package lockfacts

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// A helper may be given the function that acquires: `with(ctx, key, take)` calls take, works, and releases. Which key
// take acquires is known where it is handed in; that the release comes after it is known in the helper alone. So a run
// says which of the helper's effects can follow it, and the caller pairs the acquire with those.

// origin is where an event of a called function comes from.
type origin struct {
	summary *Summary // of the called function
	effect  int      // index of the effect there, -1 for an effect of a function that it runs
	then    []int    // for those: the called function's effects that can follow
}

// follows reports whether e comes after acq inside the one call that both happen in.
func (e *Event) follows(acq *Event) bool {
	return e.Instr == acq.Instr && acq.from.summary != nil && acq.from.effect < 0 && e.from.summary == acq.from.summary &&
		e.from.effect >= 0 && slices.Contains(acq.from.then, e.from.effect)
}

// follow notes for each run which releases of the function's own effects can come after it. A release that only undoes
// something failed is none.
func (u *unit) follow(fn *ssa.Function, a *activity, s *Summary) {
	if !slices.ContainsFunc(a.events, undoes) {
		return
	}
	for i := range s.Runs {
		r := &a.runs[i]
		after := lockflow.Walk(lockflow.Options{Start: r.Instr, Vars: u.varsOf(fn), NoReturn: u.noReturn})
		n := 0
		for j := range a.events {
			e := &a.events[j]
			if !propagates(*e) {
				continue
			}
			if undoes(*e) && !after.Cut && (after.Has(e.Instr) || r.precedes(e)) {
				s.Runs[i].Then = append(s.Runs[i].Then, n)
			}
			n++
		}
	}
}

// undoes reports whether an effect can end what a run began.
func undoes(e Event) bool { return e.Op.Releases() && !e.Closed && !e.OnError }

// precedes reports whether the called function that carries out the run has the effect after it.
func (r *runEvent) precedes(e *Event) bool {
	return e.Instr == r.Instr && r.from.summary != nil && e.from.summary == r.from.summary && e.from.effect >= 0 &&
		slices.Contains(r.from.then, e.from.effect)
}

// section is what runs of a function while it holds the lock: nothing where one call takes it and gives it back.
func (u *unit) section(l *Lock, acq *Event) *lockflow.Reach {
	if slices.ContainsFunc(l.Releases, func(e Event) bool { return e.follows(acq) }) {
		return &lockflow.Reach{}
	}
	return u.walk(acq, clientmodel.HeldScenario, l.ends)
}
