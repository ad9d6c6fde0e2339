package lockfacts

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// markAttempts notes for every acquire where the function tries the same key again. A second attempt behind a "no" has
// a scenario of its own: what follows it must not be taken for what follows the first one's "no".
func markAttempts(a *activity) {
	for i := range a.events {
		acq := &a.events[i]
		if !acq.Op.Acquires() {
			continue
		}
		acq.again = nil
		for _, e := range a.events {
			if e.Op.Acquires() && e.Instr != acq.Instr && !e.Deferred && !e.Async && keyterm.Equal(e.Key, acq.Key) {
				acq.again = append(acq.again, e.Instr)
			}
		}
	}
}

// untilNext ends a walk in which the acquire said no, or failed, at the next attempt, and where stop says so.
func (e *Event) untilNext(s clientmodel.Scenario, stop func(ssa.Instruction) bool) func(ssa.Instruction) bool {
	if s == clientmodel.HeldScenario || len(e.again) == 0 {
		return stop
	}
	return func(i ssa.Instruction) bool {
		for _, next := range e.again {
			if i == ssa.Instruction(next) {
				return true
			}
		}
		return stop != nil && stop(i)
	}
}

// orNil is what is known of a result; a helper that has the lock and hands on what some other function made of no error
// returns none.
func (e *Event) orNil(s clientmodel.Scenario, v ssa.Value, a clientmodel.Abstract) clientmodel.Abstract {
	if a == 0 && s == clientmodel.HeldScenario && lockflow.IsError(v.Type()) && e.from.summary != nil {
		return clientmodel.Nil
	}
	return a
}
