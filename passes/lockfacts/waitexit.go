package lockfacts

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// What ends a wait: the ways out of the loop that "no" can take.

// exits notes what ends the loop.
func (l *retry) exits(w *Wait) {
	for _, b := range l.fn.Blocks {
		if !l.loop[b] || !l.taken.Has(b.Instrs[len(b.Instrs)-1]) {
			continue
		}
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		for _, next := range b.Succs {
			if !l.loop[next] && l.taken.Has(next.Instrs[0]) {
				l.exit(w, i, next)
			}
		}
	}
	for _, a := range l.at.Common().Args {
		w.Limited = w.Limited || isContext(a.Type()) && bounded(a, 0)
	}
}

// exit notes one way out: what the condition asks.
func (l *retry) exit(w *Wait, i *ssa.If, to *ssa.BasicBlock) {
	switch l.reason(i, to) {
	case asksContext:
		w.Ends = true
	default:
		w.Limited = true
	}
}

// reason is why the loop is left that way. A select is a chain of comparisons, with its last case behind the last one.
func (l *retry) reason(i *ssa.If, to *ssa.BasicBlock) ending {
	b, ok := i.Cond.(*ssa.BinOp)
	if !ok {
		return l.asks(i.Cond, 0)
	}
	x, ok := b.X.(*ssa.Extract)
	if !ok || x.Index != 0 { // the other results are what the cases received
		return l.asks(i.Cond, 0)
	}
	s, ok := x.Tuple.(*ssa.Select)
	c, isConst := b.Y.(*ssa.Const)
	if !ok || !isConst || c.Value == nil {
		return l.asks(i.Cond, 0)
	}
	n := int(c.Int64())
	if to == i.Block().Succs[1] {
		n++
	}
	if n < 0 || n >= len(s.States) {
		return asksContext // a default
	}
	return l.channel(s.States[n].Chan)
}

type ending uint8

const (
	asksOther ending = iota
	asksContext
	asksDeadline
)

// asks classifies a condition: a context or a signal to stop, or a number of tries, a time, and what else there is.
func (l *retry) asks(v ssa.Value, depth int) ending {
	if depth > 8 {
		return asksOther
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		x, y := l.asks(v.X, depth+1), l.asks(v.Y, depth+1)
		return max(x, y)
	case *ssa.UnOp:
		if v.Op != token.ARROW {
			return l.asks(v.X, depth+1)
		}
	case *ssa.Extract:
		if s, ok := v.Tuple.(*ssa.Select); ok {
			return l.selected(s, v)
		}
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return l.asksCall(c)
		}
	case *ssa.Call:
		return l.asksCall(v)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if _, ok := e.(*ssa.Phi); ok {
				continue
			}
			if a := l.asks(e, depth+1); a != asksOther {
				return a
			}
		}
	case *ssa.Alloc:
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == v && l.loop[s.Block()] {
				if a := l.asks(s.Val, depth+1); a != asksOther {
					return a
				}
			}
		}
	}
	return asksOther
}

// asksCall: a context's error, a clock, or a function that is given a context and waits.
func (l *retry) asksCall(c *ssa.Call) ending {
	switch calleeName(&c.Call) {
	case "(context.Context).Err", "context.Cause":
		if bounded(c.Call.Value, 0) {
			return asksDeadline
		}
		return asksContext
	case "(time.Time).After", "(time.Time).Before", "time.Since", "time.Until", "(time.Time).Sub":
		return asksDeadline
	}
	for _, a := range c.Call.Args {
		if isContext(a.Type()) && c != l.at {
			if bounded(a, 0) {
				return asksDeadline
			}
			if !endless(a, 0) {
				return asksContext
			}
		}
	}
	return asksOther
}

// selected is what the cases of a select that leave the loop wait for.
func (l *retry) selected(s *ssa.Select, index *ssa.Extract) ending {
	if index.Index != 0 { // what a case received: a message
		return asksContext
	}
	for n := range s.States {
		if next := caseBlock(index, n); next != nil && !l.loop[next] {
			return l.channel(s.States[n].Chan)
		}
	}
	last := s.States[len(s.States)-1]
	return l.channel(last.Chan)
}

// channel is what a channel stands for.
func (l *retry) channel(ch ssa.Value) ending {
	switch ch := ch.(type) {
	case *ssa.Call:
		switch calleeName(&ch.Call) {
		case "(context.Context).Done":
			if bounded(ch.Call.Value, 0) {
				return asksDeadline
			}
			return asksContext
		case "time.After":
			return asksDeadline
		}
	case *ssa.UnOp:
		if fa, ok := ch.X.(*ssa.FieldAddr); ok {
			switch typeName(fa.X.Type()) {
			case "time.Ticker", "time.Timer":
				return asksDeadline
			}
		}
	}
	return asksContext // a signal to stop
}

// findWait looks for a loop around a call of a function that callers hand in.
func (u *unit) findWait(fn *ssa.Function, run *Run, r *runEvent) {
	c, ok := r.Instr.(*ssa.Call)
	if !ok || run.Wait.At.IsValid() || r.from.summary != nil {
		return
	}
	yes, no, bad := runResults(c)
	if yes == nil {
		return
	}
	walk := func(results []clientmodel.Abstract) *lockflow.Reach {
		sc := &scene{u: u, e: &Event{Instr: c, Fn: fn}, given: results}
		return lockflow.Walk(lockflow.Options{Start: c, Assume: sc.assume(), NoReturn: u.noReturn, Vars: u.traceVarsOf(fn), Trace: sc.tracer()})
	}
	l := &retry{u: u, fn: fn, at: c, held: walk(yes), taken: walk(no)}
	if l.held.Cut || l.taken.Cut {
		return
	}
	if w, ok := l.wait(); ok {
		run.Wait = w
		if bad != nil && !slices.Equal(no, bad) {
			out := walk(bad)
			onContext := slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool { return isContext(a.Type()) && !endless(a, 0) })
			run.Wait.Fails = !out.Cut && !out.Has(c) && onContext
		}
	}
}

// runResults are the results of an attempt that says yes, no, or fails.
func runResults(c *ssa.Call) (yes, no, bad []clientmodel.Abstract) {
	r := c.Call.Signature().Results()
	switch {
	case r.Len() == 1 && isBool(r.At(0).Type()):
		return []clientmodel.Abstract{clientmodel.True}, []clientmodel.Abstract{clientmodel.False}, nil
	case r.Len() == 1 && lockflow.IsError(r.At(0).Type()):
		return []clientmodel.Abstract{clientmodel.Nil}, []clientmodel.Abstract{clientmodel.NonNil}, nil
	case r.Len() == 2 && isBool(r.At(0).Type()) && lockflow.IsError(r.At(1).Type()):
		return []clientmodel.Abstract{clientmodel.True, clientmodel.Nil}, []clientmodel.Abstract{clientmodel.False, clientmodel.Nil},
			[]clientmodel.Abstract{clientmodel.False, clientmodel.NonNil}
	}
	return nil, nil, nil
}
