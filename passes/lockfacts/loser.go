package lockfacts

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// early reports whether a release was deferred before the acquire is tried: it runs whatever comes out of that.
func early(e, acq *Event) bool {
	return e.Deferred && e.Instr != acq.Instr && precedes(e.Instr, acq.Instr)
}

// losers are the releases that only run when the acquire said no.
func (u *unit) losers(a *activity, acq *Event) []Event {
	if acq.outcome == nil || acq.Deferred || acq.Async {
		return nil
	}
	held, taken := u.walk(acq, clientmodel.HeldScenario, nil), u.walk(acq, clientmodel.TakenScenario, nil)
	if taken.Cut {
		return nil
	}
	var out []Event
	for i := range a.events {
		e := a.events[i]
		if !e.Op.Releases() || e.Maybe || e.Conditional || !keyterm.Equal(e.Key, acq.Key) || !taken.Has(e.Instr) || held.Has(e.Instr) {
			continue
		}
		e.WhenTaken = true
		out = append(out, e)
	}
	return out
}

// runsAnyway reports whether a deferred function certainly comes to its release in the scenario, although it asks for
// something first: for the error that the function returns, as a rule.
func (u *unit) runsAnyway(r, acq *Event, s clientmodel.Scenario) bool {
	d, ok := r.Instr.(*ssa.Defer)
	if !ok || r.Maybe {
		return false
	}
	mc, ok := d.Call.Value.(*ssa.MakeClosure)
	if !ok {
		return false
	}
	fn := mc.Fn.(*ssa.Function)
	inner := u.innerInstr(fn, r)
	reach := u.walk(acq, s, nil)
	if inner == nil || reach.Cut || len(reach.Results) == 0 {
		return false
	}
	assume := capturedResults(mc, fn, returned(acq.Instr.Parent(), reach.Results))
	w := lockflow.Walk(lockflow.Options{Function: fn, Assume: assume, NoReturn: u.noReturn,
		Stop: func(i ssa.Instruction) bool { return i == inner }})
	return !w.Cut && !w.Returned && w.Has(inner)
}

// innerInstr is the instruction of a closure that has the effect r of the function around it.
func (u *unit) innerInstr(fn *ssa.Function, r *Event) ssa.Instruction {
	a := u.activities[fn]
	if a == nil {
		return nil
	}
	for i := range a.events {
		if a.events[i].At == r.At && sameKind(a.events[i].Op, r.Op) {
			return a.events[i].Instr
		}
	}
	return nil
}

func sameKind(a, b clientmodel.Op) bool { return a == b || a.Releases() && b.Releases() }

// returned says what the named results of a function hold when it returns.
func returned(fn *ssa.Function, results []clientmodel.Abstract) map[ssa.Value]clientmodel.Abstract {
	out := map[ssa.Value]clientmodel.Abstract{}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for n, v := range ret.Results {
			if l, ok := v.(*ssa.UnOp); ok && l.Op == token.MUL && n < len(results) {
				if a, ok := l.X.(*ssa.Alloc); ok {
					out[a] = results[n]
				}
			}
		}
	}
	return out
}

// capturedResults assumes what a closure reads from the variables that it captures.
func capturedResults(mc *ssa.MakeClosure, fn *ssa.Function, known map[ssa.Value]clientmodel.Abstract) lockflow.Assume {
	free := map[ssa.Value]clientmodel.Abstract{}
	for n, b := range mc.Bindings {
		if a := known[b]; a != 0 && n < len(fn.FreeVars) {
			free[fn.FreeVars[n]] = a
		}
	}
	return func(v ssa.Value) (clientmodel.Abstract, bool) {
		l, ok := v.(*ssa.UnOp)
		if !ok || l.Op != token.MUL {
			return 0, false
		}
		a, ok := free[l.X]
		return a, ok
	}
}

// ranAt is the place of the call whose result is the reply.
func (e *Event) ranAt() keyterm.Pos {
	if e.RunAt.IsValid() {
		return e.RunAt
	}
	return e.At.Pos
}

// byTerm knows the results of an acquire where they come back through a field or a method: `if h.Won()`.
func (u *unit) byTerm(e *Event, s clientmodel.Scenario, v ssa.Value) (clientmodel.Abstract, bool) {
	switch v := v.(type) {
	case *ssa.Call, *ssa.Field, *ssa.Extract:
	case *ssa.UnOp:
		if _, local := v.X.(*ssa.Alloc); local { // what it holds depends on the path
			return 0, false
		}
	default:
		return 0, false
	}
	if v.Parent() == nil || e.Reply == clientmodel.NoReply {
		return 0, false
	}
	t := u.frame(v.Parent()).value(v).Strip()
	if t.Op != keyterm.Call || len(t.Args) == 0 || t.Args[0].Op != keyterm.Call || t.Args[0].At != e.ranAt() {
		return 0, false
	}
	roles, ok := clientmodel.AccessorNamed(t.Text)
	if !ok || t.Index >= len(roles) {
		return 0, false
	}
	return e.Reply.Abstract(s, roles[t.Index]), true
}
