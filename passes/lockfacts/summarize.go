package lockfacts

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// summaryOf is the summary of a function: from facts where it has no body here, else computed, callees first. A
// function that is asked for while it is being computed is part of a cycle: it gets what is known so far, and the cycle
// is computed again until nothing changes or the rounds are used up.
func (u *unit) summaryOf(fn *ssa.Function) *Summary {
	if len(fn.Blocks) == 0 {
		return u.funcs[u.spell.function(fn)]
	}
	if s, ok := u.summaries[fn]; ok {
		return s
	}
	if u.busy[fn] {
		u.cyclic[fn] = true
		return u.partial[fn]
	}
	if len(u.busy) > maxChain {
		return nil // its turn comes later; whoever asks now does without
	}
	u.busy[fn] = true
	s := u.summarize(fn)
	for u.cyclic[fn] && u.rounds[fn] < maxRounds {
		u.rounds[fn]++
		u.partial[fn] = s
		u.forget(fn)
		next := u.summarize(fn)
		done := same(s, next)
		s = next
		if done {
			break
		}
	}
	delete(u.busy, fn)
	u.summaries[fn] = s
	return s
}

// maxRounds bounds the fixpoint over a cycle; terms and effects are bounded too, so that it is finite anyway. A function
// literal is computed again in every round of the function around it. It has no more rounds of its own for that, or
// recursive literals inside each other would double the work with every level.
const maxRounds = 3

// maxChain bounds how many functions wait for what they call: there is no more stack than that.
const maxChain = 20000

// forget drops the values that a frame has computed, because a summary they stand on may have changed.
func (u *unit) forget(fn *ssa.Function) {
	delete(u.frames, fn)
	for _, a := range fn.AnonFuncs {
		u.forget(a)
		if !u.busy[a] {
			delete(u.summaries, a)
		}
	}
}

func same(a, b *Summary) bool {
	if a == nil || b == nil || len(a.Effects) != len(b.Effects) || len(a.Results) != len(b.Results) || len(a.Runs) != len(b.Runs) || len(a.Inner) != len(b.Inner) {
		return false
	}
	for i := range a.Results {
		if a.Results[i].String() != b.Results[i].String() {
			return false
		}
	}
	for i := range a.Effects {
		if a.Effects[i].Op != b.Effects[i].Op || a.Effects[i].Key.String() != b.Effects[i].Key.String() {
			return false
		}
	}
	return true
}

// summarize computes a summary.
func (u *unit) summarize(fn *ssa.Function) *Summary {
	s := &Summary{Name: u.spell.function(fn), Params: len(fn.Params), At: u.pos(fn.Pos()), GuardedBy: u.declared[fn.Pos()]}
	a := u.activityOf(fn)
	locks := u.pair(fn, &a)
	u.locks[fn] = locks
	u.activities[fn] = &a
	u.markConditional(fn, &a)
	u.findKept(fn, &a)
	u.remark(fn, &a, locks)
	for i, e := range a.events {
		if !propagates(e) {
			continue
		}
		for _, o := range u.outcomesFor(fn, &a.events[i]) {
			o.Effect = len(s.Effects)
			s.Outcomes = append(s.Outcomes, o)
		}
		s.Effects = append(s.Effects, e.Effect)
	}
	s.Runs = u.runsUnder(fn, &a, locks)
	s.Lent = u.lent(fn, locks)
	u.follow(fn, &a, s)
	s.Results = u.results(fn)
	s.NoReturn = u.neverReturns(fn)
	s.Comparisons = u.comparisons(fn, &a)
	s.ErrorUse = u.errorUse(fn)
	s.Inner = a.innerOf()
	if optionFunction(fn) {
		s.Writes = u.optionWrites(fn)
	}
	return s
}

// closedHops is how many calls up a lock is known that somebody below acquires and releases, where callers can only say
// for which entity: what they hand over further up is their own. Without it most of a large program would be read for
// the locks deep below it.
const closedHops = 3

// propagates reports whether callers have to know of an effect: what is open, and what their arguments still decide.
func propagates(e Event) bool {
	if e.Op == clientmodel.Watch || e.Op == clientmodel.Begin {
		return false // of use on the one connection only
	}
	if e.Op == clientmodel.Get || e.Op == clientmodel.Set {
		return len(e.Path) < 4 && (dependsOnParams(e.Key) || e.Key.Class() != "")
	}
	if !e.Closed || dependsOnParams(e.TTL) || dependsOnParams(e.Owner) {
		return true
	}
	return dependsOnParams(e.Key) && (len(e.Path) < closedHops || e.Key.Class() == "")
}

// results are the values that a function returns, joined over its returns. An error result says nothing.
func (u *unit) results(fn *ssa.Function) []keyterm.Term {
	n := fn.Signature.Results().Len()
	if n == 0 {
		return nil
	}
	f := u.frame(fn)
	out := make([]keyterm.Term, n)
	for i := range out {
		if lockflow.IsError(fn.Signature.Results().At(i).Type()) {
			continue
		}
		var all []keyterm.Term
		for _, b := range fn.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && i < len(r.Results) {
				all = append(all, f.literal(r.Results[i], r.Pos()))
			}
		}
		if hasError(fn) {
			all = dropZero(all)
		}
		if len(all) > 0 {
			out[i] = keyterm.Term{Op: keyterm.Set, Args: all, Type: u.spell.typ(fn.Signature.Results().At(i).Type())}.Norm()
		}
	}
	return out
}

func hasError(fn *ssa.Function) bool {
	r := fn.Signature.Results()
	for i := range r.Len() {
		t := r.At(i).Type()
		if lockflow.IsError(t) {
			return true
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
			return true
		}
	}
	_, pointer := r.At(0).Type().Underlying().(*types.Pointer)
	_, fun := r.At(0).Type().Underlying().(*types.Signature)
	return pointer || fun
}

// optionWrites are the fields that a functional option sets.
func (u *unit) optionWrites(fn *ssa.Function) []Named {
	f := u.frame(fn)
	var out []Named
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			st, ok := i.(*ssa.Store)
			if !ok {
				continue
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if !ok || fa.X != fn.Params[0] {
				continue
			}
			s, _ := structOf(fa.X.Type())
			out = append(out, Named{s.Field(fa.Field).Name(), f.value(st.Val)})
		}
	}
	return out
}

// runsUnder are the function values of the callers that the function runs, with the locks that are held meanwhile.
func (u *unit) runsUnder(fn *ssa.Function, a *activity, locks []Lock) []Run {
	var out []Run
	for _, r := range a.runs {
		run := r.Run
		if q, at := u.askedRun(fn, a, &r); at.IsValid() {
			run.Asked, run.Value = at, q.value
		}
		run.Under = append(run.Under, coveredBy(locks, r.Instr)...)
		u.findWait(fn, &run, &r)
		out = append(out, run)
	}
	return out
}

// markConditional finds effects that the function may return without: their block does not come on every path.
func (u *unit) markConditional(fn *ssa.Function, a *activity) {
	for i := range a.events {
		e := &a.events[i]
		e.Conditional = e.Conditional || u.avoidable(fn, e.Instr.Block())
		e.OnError = e.OnError || behindError(e.Instr.Block(), nil, nil)
	}
}

// avoidable reports whether some path from the entry to a return avoids the block.
func (u *unit) avoidable(fn *ssa.Function, b *ssa.BasicBlock) bool {
	r := lockflow.Walk(lockflow.Options{Function: fn, Vars: u.varsOf(fn),
		Stop: func(i ssa.Instruction) bool { return i.Block() == b }})
	return r.Returned || r.Cut
}

// behindError reports whether a block only runs after something other than own has failed: an `err != nil` branch
// dominates it. Branches above the block from, if there is one, do not count.
func behindError(b, from *ssa.BasicBlock, own func(ssa.Value) bool) bool {
	for ; b != nil && b != from && b.Idom() != nil; b = b.Idom() {
		dom := b.Idom()
		i, ok := dom.Instrs[len(dom.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		err, op, ok := comparesNil(i.Cond)
		if !ok || own != nil && own(err) {
			continue
		}
		failed := dom.Succs[0]
		if op == token.EQL {
			failed = dom.Succs[1]
		}
		if len(failed.Preds) == 1 && failed.Dominates(b) {
			return true
		}
	}
	return false
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// outcomesFor says what the function's results are in the scenarios of an acquire. A command that only callers know may
// be one: then it depends on the form of its reply.
func (u *unit) outcomesFor(fn *ssa.Function, e *Event) []Outcome {
	if e.Op != clientmodel.RunWords && e.Op != clientmodel.RunScript {
		o := u.outcomeFor(fn, e)
		u.traceOutcome(o, e)
		if o.useful(fn) {
			return []Outcome{*o}
		}
		return nil
	}
	var out []Outcome
	for _, r := range []clientmodel.Reply{clientmodel.StatusReply, clientmodel.IntReply} {
		may := *e
		may.Op, may.Reply, may.outcome = clientmodel.SetIfAbsent, r, &Outcome{}
		if e.from.summary != nil && e.from.effect >= 0 {
			may.outcome = e.from.summary.outcomeOf(e.from.effect, r)
		}
		if o := u.outcomeFor(fn, &may); o.useful(fn) {
			o.Reply = r
			out = append(out, *o)
		}
	}
	return out
}

// useful reports whether callers can tell by the results whether the lock was acquired. Results that are looked at and
// tell nothing that is understood must not look like results that nobody looks at.
func (o *Outcome) useful(fn *ssa.Function) bool {
	return o != nil && (telling(o.Held, o.Taken) || returnsObject(fn))
}

// returnsObject reports whether a function returns a handle or a command, whose fields or methods may tell.
func returnsObject(fn *ssa.Function) bool {
	for v := range fn.Signature.Results().Variables() {
		if _, basic := v.Type().Underlying().(*types.Basic); !basic && !lockflow.IsError(v.Type()) {
			return true
		}
	}
	return false
}

// outcomeFor walks the three scenarios of an acquire that is still open and says what the function's results are then.
func (u *unit) outcomeFor(fn *ssa.Function, e *Event) *Outcome {
	if !e.Op.Acquires() || e.Closed || e.Deferred || e.Async || e.outcome == nil || fn.Signature.Results().Len() == 0 {
		return nil
	}
	out := &Outcome{}
	for _, s := range clientmodel.Scenarios {
		r := u.walk(e, s, nil)
		if r.Cut || !r.Returned {
			if s == clientmodel.OutageScenario && !r.Cut {
				continue
			}
			return nil
		}
		switch s {
		case clientmodel.HeldScenario:
			out.Held = r.Results
		case clientmodel.TakenScenario:
			out.Taken = r.Results
		default:
			out.Outage = r.Results
		}
	}
	return out
}

// walk follows the paths behind an acquire in one scenario.
func (u *unit) walk(e *Event, s clientmodel.Scenario, stop func(ssa.Instruction) bool) *lockflow.Reach {
	return lockflow.Walk(lockflow.Options{Start: e.Instr, Assume: u.assume(e, s), Stop: e.untilNext(s, stop), NoReturn: u.noReturn,
		Vars: u.varsOf(e.Instr.Parent())})
}

// varsOf are the variables that walks through a function have to know.
func (u *unit) varsOf(fn *ssa.Function) *lockflow.Vars {
	v, ok := u.vars[fn]
	if !ok {
		v = lockflow.FindVars(fn)
		u.vars[fn] = v
	}
	return v
}

// assume knows what the acquire returned, where it was kept too.
func (u *unit) assume(e *Event, s clientmodel.Scenario) lockflow.Assume {
	own := e.assume(s)
	return func(v ssa.Value) (clientmodel.Abstract, bool) {
		if a, ok := own(v); ok {
			return e.orNil(s, v, a), true
		}
		return u.byTerm(e, s, v)
	}
}

// assume says what the results of the acquire look like in a scenario.
func (e *Event) assume(s clientmodel.Scenario) lockflow.Assume {
	call := e.Instr.Value()
	return func(v ssa.Value) (clientmodel.Abstract, bool) {
		if call == nil || e.outcome == nil {
			return 0, false
		}
		switch v := v.(type) {
		case *ssa.Call:
			if v == call && !e.object {
				return e.result(s, 0), true
			}
			if roles, ok := e.accessed(v); ok && len(roles) == 1 {
				return e.Reply.Abstract(s, roles[0]), true
			}
		case *ssa.Extract:
			if v.Tuple == call {
				return e.result(s, v.Index), true
			}
			if c, ok := v.Tuple.(*ssa.Call); ok {
				if roles, ok := e.accessed(c); ok && v.Index < len(roles) {
					return e.Reply.Abstract(s, roles[v.Index]), true
				}
			}
		}
		return 0, false
	}
}

// accessed reports whether a call reads the acquire's command object, and what it returns.
func (e *Event) accessed(c *ssa.Call) ([]clientmodel.Role, bool) {
	if !e.object || len(c.Call.Args) == 0 {
		return nil, false
	}
	fn := c.Call.StaticCallee()
	if fn == nil {
		return nil, false
	}
	obj, _ := fn.Object().(*types.Func)
	roles, ok := clientmodel.Accessor(obj)
	if !ok || !e.derivesObject(c.Call.Args[0], e.Instr.Value(), 0) {
		return nil, false
	}
	return roles, true
}

// derivesObject follows a command object from its call through local variables, embedded fields, and other objects that
// are made of it.
func (e *Event) derivesObject(v, root ssa.Value, depth int) bool {
	if v == root {
		return true
	}
	if depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return e.derivesObject(v.X, root, depth+1)
	case *ssa.UnOp:
		return e.derivesObject(v.X, root, depth+1)
	case *ssa.Alloc:
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == v && e.derivesObject(s.Val, root, depth+1) {
				return true
			}
		}
	case *ssa.ChangeType:
		return e.derivesObject(v.X, root, depth+1)
	case *ssa.IndexAddr:
		n, ok := v.Index.(*ssa.Const)
		return ok && n.Value != nil && e.element > 0 && n.Int64() == int64(e.element-1) && e.derivesObject(v.X, root, depth+1)
	case *ssa.Extract:
		c, ok := v.Tuple.(*ssa.Call)
		if !ok {
			return false
		}
		roles, ok := e.accessed(c)
		return ok && v.Index < len(roles) && roles[v.Index] == clientmodel.MessageResult
	}
	return false
}

// result is result i of the acquiring call in a scenario.
func (e *Event) result(s clientmodel.Scenario, i int) clientmodel.Abstract {
	if e.roles != nil {
		if i < len(e.roles) {
			return e.Reply.Abstract(s, e.roles[i])
		}
		return 0
	}
	list := map[clientmodel.Scenario][]clientmodel.Abstract{
		clientmodel.HeldScenario: e.outcome.Held, clientmodel.TakenScenario: e.outcome.Taken, clientmodel.OutageScenario: e.outcome.Outage,
	}[s]
	if i < len(list) {
		return list[i]
	}
	return 0
}

// sortSummaries orders what goes into the fact.
func sortSummaries(all []Summary) {
	slices.SortFunc(all, func(a, b Summary) int { return cmpString(a.Name, b.Name) })
}
