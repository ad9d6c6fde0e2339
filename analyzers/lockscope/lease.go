package lockscope

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// lostLeases reports extends of a lock whose failure changes nothing: the result is dropped, or the failure is logged
// and the work goes on.
func (c *checker) lostLeases() {
	locks := c.lockKeys()
	for _, fn := range c.Res.Functions {
		for _, e := range c.Res.Events(fn) {
			call, ok := e.Instr.(*ssa.Call)
			if !ok || !e.Op.Extends() || !c.ofLock(fn, &e, locks) || !tellsFailure(call) || e.InPipeline() || c.atAcquire(fn, &e) {
				continue
			}
			if !c.workFollows(call) || !c.onlyExtends(&e) {
				continue
			}
			what := ""
			switch {
			case dropped(call):
				what = "whether extending worked is not looked at"
			case !c.reacts(call, true) && !(answers(call) && c.reacts(call, false)):
				what = "a failure to extend changes nothing here"
			case e.Op == clientmodel.CompareAndExpire && !e.Library && len(e.Path) == 0 && !c.reacts(call, false):
				what = "an extend that found another owner looks like one that worked"
			default:
				continue
			}
			c.Report(judge.Fault{
				Kind: "lost-lease-ignored", Level: finding.Warning, At: c.Res.Site(call), Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
				Message: what + ": the lease ends, another replica takes the lock, and the work here goes on beside it; cancel the " +
					"context of the work when extending fails, or return the error",
			})
		}
	}
}

// onlyExtends reports whether the called helper exists to extend: its result is that of the extend, then.
func (c *checker) onlyExtends(e *lockfacts.Event) bool {
	if len(e.Path) == 0 {
		return true
	}
	callee := e.At.Function
	if len(e.Path) > 1 {
		callee = e.Path[1].Function
	}
	s := c.Res.Summary(callee)
	if s == nil || len(s.Runs) > 0 {
		return false
	}
	for i := range s.Effects {
		if op := s.Effects[i].Op; !op.Extends() && op != clientmodel.Get {
			return false
		}
	}
	return true
}

// lockKeys are the keys that are known to be those of locks, as shapes.
func (c *checker) lockKeys() map[string]bool {
	out := map[string]bool{}
	for _, k := range c.Res.Classes {
		out[k.Class] = true
	}
	for i := range c.Res.Locks {
		out[c.Res.Shape(c.Res.Locks[i].Fn, c.Res.Locks[i].Acquire.Key)] = true
	}
	for _, fn := range c.Res.Functions { // a release that compares the owner proves it
		for _, e := range c.Res.Events(fn) {
			if e.Op == clientmodel.CompareAndDelete {
				out[c.Res.Shape(fn, e.Key)] = true
			}
		}
	}
	delete(out, "")
	return out
}

// ofLock reports whether an extend is of a lock: a library's, of a key that is known to be one, or one that compares the
// owner.
func (c *checker) ofLock(fn *ssa.Function, e *lockfacts.Event, locks map[string]bool) bool {
	return e.Library || e.Op == clientmodel.CompareAndExpire || locks[c.Res.Shape(fn, e.Key)]
}

// tellsFailure reports whether the results of a call can say that extending failed.
func tellsFailure(c *ssa.Call) bool {
	if t, ok := c.Type().(*types.Tuple); ok {
		return t.Len() > 0
	}
	return true
}

// atAcquire reports whether an extend only gives the TTL that the acquire beside it left out.
func (c *checker) atAcquire(fn *ssa.Function, e *lockfacts.Event) bool {
	if e.Op != clientmodel.Expire {
		return false
	}
	for _, a := range c.Res.Events(fn) {
		if a.Op.Acquires() && len(a.Path) == len(e.Path) && a.Key.String() == e.Key.String() && leadsTo(a.Instr, e.Instr) {
			return true
		}
	}
	return false
}

// workFollows reports whether something goes on after the extend that could do so without the lock: the flow comes back
// to it, or works on. What a helper's callers do is theirs: they see its result.
func (c *checker) workFollows(call *ssa.Call) bool {
	reach := lockflow.Walk(lockflow.Options{Start: call})
	if reach.Again || returnsResult(call.Parent()) {
		return true
	}
	found := false
	reach.Each(call.Parent(), func(i ssa.Instruction) {
		if x, ok := i.(*ssa.Call); ok && x != call && c.Res.IsWork(x) {
			found = true
		}
	})
	return found
}

// returnsResult reports whether a function exists for the extend alone and has a result by which to tell its callers.
func returnsResult(fn *ssa.Function) bool {
	r := fn.Signature.Results()
	return r.Len() > 0 && lockflow.IsError(r.At(r.Len()-1).Type())
}

// dropped reports whether nobody looks at a result.
func dropped(c *ssa.Call) bool {
	for _, r := range *c.Referrers() {
		if x, ok := r.(*ssa.Extract); ok {
			if len(*x.Referrers()) > 0 {
				return false
			}
			continue
		}
		return accessorOnly(r)
	}
	return true
}

// answers reports whether somebody looks at whether the lock was still there, and not only at an error. Where that is acted
// upon, an error alone may be one that the next attempt cures.
func answers(c *ssa.Call) bool {
	for _, r := range *c.Referrers() {
		v, ok := r.(ssa.Value)
		if !ok {
			continue
		}
		if x, isExtract := v.(*ssa.Extract); isExtract && isTruth(x.Type()) {
			return true
		}
		if fa, isField := v.(*ssa.FieldAddr); isField { // of a command object, embedded in another one
			v = fa
		}
		for _, use := range *v.Referrers() {
			if u, ok := use.(*ssa.Call); ok && tells(u) {
				return true
			}
		}
		if u, ok := v.(*ssa.Call); ok && tells(u) {
			return true
		}
	}
	return isTruth(c.Type())
}

// tells reports whether one of the results of an accessor is a number or a boolean.
func tells(c *ssa.Call) bool {
	if t, ok := c.Type().(*types.Tuple); ok {
		return t.Len() > 0 && isTruth(t.At(0).Type())
	}
	return isTruth(c.Type())
}

func isTruth(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger) != 0
}

// accessorOnly reports whether a use reads the result out of a command object, and drops that.
func accessorOnly(r ssa.Instruction) bool {
	v, ok := r.(ssa.Value)
	if !ok {
		return false
	}
	switch v.(type) {
	case *ssa.FieldAddr, *ssa.Call:
	default:
		return false
	}
	for _, use := range *v.Referrers() {
		if x, isExtract := use.(*ssa.Extract); isExtract && len(*x.Referrers()) == 0 {
			continue
		}
		if _, isCall := use.(*ssa.Call); !isCall || !accessorOnly(use) {
			return false
		}
	}
	return true
}

// reacts reports whether a failure to extend makes the function do something about it: end in failure, cancel, signal,
// remember. outage is a command that failed; else it worked and found another owner.
func (c *checker) reacts(call *ssa.Call, outage bool) bool {
	fn := call.Parent()
	reach := lockflow.Walk(lockflow.Options{Start: call, Assume: failed(call, outage), Learn: lockflow.FindLearned(fn, lockflow.FindVars(fn), noAlias),
		Stop: func(i ssa.Instruction) bool { return pauses(i) || c.nextRound(i, call) }})
	if reach.Cut {
		return true
	}
	found := endsBadly(fn, reach) || reach.Returned && c.endsForCaller(fn)
	reach.Each(fn, func(i ssa.Instruction) {
		if i != ssa.Instruction(call) {
			found = found || c.reaction(i, 0)
		}
	})
	return found
}

func noAlias(ssa.Value) string { return "" }

// pauses reports whether an instruction waits for the next round.
func pauses(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Select:
		return true
	case *ssa.UnOp:
		return i.Op == token.ARROW
	}
	return false
}

// nextRound reports whether an instruction is work that is done again and again with extends in between: whoever gets
// there has gone on.
func (c *checker) nextRound(i ssa.Instruction, extend *ssa.Call) bool {
	x, ok := i.(*ssa.Call)
	return ok && x != extend && c.Res.IsWork(x) && mayReturnError(x) && lockflow.CanReach(x.Block(), extend.Block()) && lockflow.CanReach(extend.Block(), x.Block())
}

// mayReturnError reports whether a call says whether it worked: what logs, or builds a log line, does not.
func mayReturnError(c *ssa.Call) bool {
	r := c.Call.Signature().Results()
	return r.Len() > 0 && lockflow.IsError(r.At(r.Len()-1).Type())
}

// failed assumes that an extend failed.
func failed(call *ssa.Call, outage bool) lockflow.Assume {
	return func(v ssa.Value) (clientmodel.Abstract, bool) {
		if !resultOf(v, call, 0) {
			return 0, false
		}
		switch {
		case lockflow.IsError(v.Type()) && outage:
			return clientmodel.NonNil, true
		case lockflow.IsError(v.Type()):
			return clientmodel.Nil, true
		}
		if isTruth(v.Type()) {
			return clientmodel.False, true
		}
		return 0, false
	}
}

// resultOf reports whether a value is a result of the call, or read out of the object that it returns.
func resultOf(v ssa.Value, call *ssa.Call, depth int) bool {
	if depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		if v == call {
			return true
		}
		ops := operands(v)
		return len(ops) == 1 && resultOf(ops[0], call, depth+1)
	case *ssa.Extract:
		return resultOf(v.Tuple, call, depth+1)
	case *ssa.FieldAddr:
		return resultOf(v.X, call, depth+1)
	case *ssa.UnOp:
		return v.Op == token.MUL && resultOf(v.X, call, depth+1)
	}
	return false
}
