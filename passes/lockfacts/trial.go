package lockfacts

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// ignored finds an acquire whose result decides nothing: what runs under the lock runs as well when somebody else holds
// it, or callers of a helper are told nothing.
func (t *trial) ignored() bool {
	if t.taken.open() || t.held.open() || t.resultEscapes() {
		return false
	}
	r := Remark{Kind: Ignored, At: t.u.site(t.u.frame(t.fn), t.e.Instr)}
	if t.lock != nil {
		work := t.work()
		for _, c := range work {
			if !t.taken.Has(c) {
				return false
			}
		}
		if len(work) == 0 && t.looked() || t.otherWay() || t.loserWaits() {
			return false
		}
		r.Note = t.meantAnyway()
	} else {
		if t.e.hasRemark(Ignored) || !t.taken.Returned || !slices.Equal(t.taken.sigs, t.held.sigs) {
			return false
		}
		if r.Weak = t.looked() && !t.waitsFor(); r.Weak && t.releases() {
			return false
		}
	}
	t.e.remarked(r)
	return !r.Weak
}

// loserWaits reports whether something waits only where the lock is taken: for the winner to be done, maybe.
func (t *trial) loserWaits() bool {
	for _, b := range t.fn.Blocks {
		for _, i := range b.Instrs {
			if t.taken.Has(i) && !t.held.Has(i) && pauses(i) {
				return true
			}
		}
	}
	return false
}

// meantAnyway reports whether the program says, where the lock is taken, that it goes on without it.
func (t *trial) meantAnyway() bool {
	for i, side := range t.taken.trace.Sides {
		if h := t.held.trace.Sides[i]; h != 0 && h != side && t.u.meant(t.fn, i, t.taken, t.held, saysWithout) {
			return true
		}
	}
	return false
}

// waitsFor reports whether the function tries again until it has the lock.
func (t *trial) waitsFor() bool { return t.taken.Has(t.e.Instr) && !t.held.Has(t.e.Instr) }

// otherWay reports whether a loser may come out well in a way that the winner does not: it finds done what it wanted to
// do, in a cache as a rule.
func (t *trial) otherWay() bool {
	for _, e := range t.taken.trace.Ends {
		if !t.held.Has(e.Return) && len(e.Faces) > 0 && e.Faces[len(e.Faces)-1] == faceNil {
			return true
		}
	}
	return false
}

// releases reports whether the function gives the key back, on a path that was not understood.
func (t *trial) releases() bool {
	return slices.ContainsFunc(t.a.events, func(x Event) bool { return x.Op.Releases() && keyterm.Equal(x.Key, t.e.Key) })
}

// looked reports whether some condition takes one side when the lock is held and another when it is not.
func (t *trial) looked() bool {
	for i, side := range t.held.trace.Sides {
		if other := t.taken.trace.Sides[i]; other != 0 && other != side {
			return true
		}
	}
	return false
}

// failOpen finds work that runs under the lock, runs when Redis fails, and does not run when the lock is taken; or a
// helper that says "held" when Redis fails.
func (t *trial) failOpen() {
	if t.e.hasRemark(FailOpen) || t.outage.open() || t.taken.open() {
		return
	}
	var at ssa.Instruction
	if t.lock != nil {
		at = t.unlockedWork()
	} else {
		at = t.saysHeld()
	}
	if at == nil || t.askedFor() {
		return
	}
	r := Remark{Kind: FailOpen, At: t.u.placeOf(at)}
	if i := t.split(at); i != nil {
		r.At = t.u.condSite(i)
		r.Note = t.u.meant(t.fn, i, t.outage, t.taken, anyText)
	}
	t.e.remarked(r)
}

// askedFor reports whether, after an outage alone, a setting decides what is done: a field or parameter of the program.
func (t *trial) askedFor() bool {
	for _, b := range t.fn.Blocks {
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if ok && t.outage.Has(i) && !t.taken.Has(i) && !t.held.Has(i) && isSetting(i.Cond) {
			return true
		}
	}
	return false
}

// isSetting reports whether a condition reads a flag that somebody set before.
func isSetting(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.Global, *ssa.FreeVar, *ssa.FieldAddr, *ssa.Field:
		return true
	case *ssa.UnOp:
		return isSetting(v.X)
	case *ssa.BinOp:
		return !lockflow.IsError(v.X.Type()) && (isSetting(v.X) || isSetting(v.Y))
	}
	return false
}

// unlockedWork is work of the section, or a call of the same function beside it, that an outage reaches and contention
// does not.
func (t *trial) unlockedWork() ssa.Instruction {
	work := t.work()
	for _, c := range work {
		if t.outage.Has(c) && !t.taken.Has(c) {
			return c
		}
	}
	for _, b := range t.fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(*ssa.Call)
			if !ok || !t.outage.Has(i) || t.taken.Has(i) || t.held.Has(i) || !t.isWork(c) {
				continue
			}
			if slices.ContainsFunc(work, func(w ssa.CallInstruction) bool { return sameCall(w.Common(), &c.Call) }) {
				return c
			}
		}
	}
	return nil
}

// sameCall reports whether two calls are of one function with the same arguments.
func sameCall(a, b *ssa.CallCommon) bool {
	if a.IsInvoke() != b.IsInvoke() || a.Method != b.Method || a.Value != b.Value {
		return false
	}
	return slices.Equal(a.Args, b.Args)
}

// saysHeld is the return by which a helper says after an outage what it says when it holds the lock.
func (t *trial) saysHeld() ssa.Instruction {
	held, taken, out := t.held.Results, t.taken.Results, t.outage.Results
	if !t.taken.Returned || !t.outage.Returned || len(out) == 0 {
		return nil
	}
	tells := false
	for i := range out {
		if held[i] == 0 || taken[i] == 0 || held[i] == taken[i] {
			continue
		}
		if out[i] != held[i] {
			return nil
		}
		tells = true
	}
	if !tells {
		return nil
	}
	return t.outage.returns("")[0]
}

// split is the last condition before an instruction that sends an outage another way than contention.
func (t *trial) split(before ssa.Instruction) *ssa.If {
	var best *ssa.If
	limit := t.u.placeOf(before).Line
	for _, b := range t.fn.Blocks {
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		o, k := t.outage.trace.Sides[i], t.taken.trace.Sides[i]
		if o != lockflow.TrueSide && o != lockflow.FalseSide || o == k || k == 0 && !aboutError(i.Cond) {
			continue
		}
		line := t.u.condSite(i).Line
		if line <= limit && line > 0 && (best == nil || line >= t.u.condSite(best).Line) {
			best = i
		}
	}
	return best
}

// aboutError reports whether a condition asks an error.
func aboutError(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.BinOp:
		return lockflow.IsError(v.X.Type())
	case *ssa.UnOp:
		return aboutError(v.X)
	case *ssa.Call:
		return len(v.Call.Args) > 0 && lockflow.IsError(v.Call.Args[0].Type())
	}
	return false
}

// work lists the calls of the section that are work.
func (t *trial) work() []ssa.CallInstruction {
	var out []ssa.CallInstruction
	t.lock.Section.Each(t.fn, func(i ssa.Instruction) {
		if c, ok := i.(ssa.CallInstruction); ok && t.lock.Covers(i) && t.held.Has(i) && t.isWork(c) {
			out = append(out, c)
		}
	})
	return out
}

// isWork reports whether a call does something that a lock may be for: not logs, metrics, the lock's own commands.
func (t *trial) isWork(c ssa.CallInstruction) bool {
	if _, ok := c.(*ssa.Defer); ok || c == t.e.Instr || minor(c.Common()) {
		return false
	}
	if call, ok := c.(*ssa.Call); ok && (accessor(call) || t.u.onlyAsks(call, 0)) {
		return false
	}
	for i := range t.a.events {
		e := &t.a.events[i]
		if e.Instr == c && e.Op != clientmodel.Get && keyterm.Equal(e.Key, t.e.Key) {
			return false
		}
	}
	return true
}
