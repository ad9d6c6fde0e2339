package lockscope

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// contexts reports releases that run on a context which may have ended by then.
func contexts(r *judge.Reporter, l *lockfacts.Lock) {
	if r.Res.OnlyUndone(l) {
		return
	}
	for i := range l.Releases {
		e := &l.Releases[i]
		end := r.Res.Ends(e.Ctx)
		level := finding.Error
		switch end.How {
		case lockfacts.Never, lockfacts.Unseen:
			continue
		case lockfacts.Shutdown:
			level = finding.Note
		case lockfacts.Caller:
			if r.Res.InServiceLoop(e.Instr) {
				level = finding.Note
			}
		case lockfacts.Timeout, lockfacts.Cancel:
			if !endsBefore(r, l, e, end) {
				continue
			}
		}
		at := r.Res.Chosen(l.Fn, &e.Effect)
		r.Report(judge.Fault{
			Kind: "release-on-request-ctx", Level: level, At: at, Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
			Message: fmt.Sprintf("%s this release fails and the key stays until %s ends; release on context.WithoutCancel(ctx) with a "+
				"short timeout of its own, not on a plain Background without a timeout", whenEnded(end), lease(&l.Acquire)),
			Related: []finding.Related{judge.Related(r.Res.Site(l.Acquire.Instr), "acquired here")},
		})
	}
}

// whenEnded names what ends the context.
func whenEnded(end lockfacts.Ending) string {
	switch end.How {
	case lockfacts.Request:
		return "when the client hangs up, the request's context ends and"
	case lockfacts.Timeout:
		return "when the timeout of the context passes during the work,"
	case lockfacts.Cancel:
		return "when this context is cancelled,"
	case lockfacts.Shutdown:
		return "when the process shuts down, the context ends and"
	}
	return "when the caller's context ends during the work,"
}

// endsBefore reports whether a deadline or a cancel of the program can end a context before the release: one that is made
// for the release alone cannot.
func endsBefore(r *judge.Reporter, l *lockfacts.Lock, e *lockfacts.Event, end lockfacts.Ending) bool {
	made := r.Res.Function(end.Fn)
	if made == nil {
		return false
	}
	if made != l.Fn {
		return !insideRelease(l.Fn, e, made) && outside(l.Fn, made)
	}
	c := r.Res.CallAt(l.Fn, end.At)
	if c == nil {
		return false
	}
	if end.How == lockfacts.Cancel {
		return cancelledBefore(c, e)
	}
	return e.Deferred && leadsTo(c, e.Instr) || workBetween(r, c, e)
}

// insideRelease reports whether a function is on the way from the section to the releasing command.
func insideRelease(fn *ssa.Function, e *lockfacts.Event, made *ssa.Function) bool {
	if e.At.Function == made.String() {
		return true
	}
	for _, s := range e.Path {
		if s.Function == made.String() && made != fn {
			return true
		}
	}
	return false
}

// outside reports whether a function is one that calls fn, so that its context spans the whole section, and not a helper
// that makes contexts.
func outside(fn, made *ssa.Function) bool {
	for p := fn.Parent(); p != nil; p = p.Parent() {
		if p == made {
			return true
		}
	}
	return made != fn && !returnsContext(made)
}

func returnsContext(fn *ssa.Function) bool {
	for v := range fn.Signature.Results().Variables() {
		if isContext(v.Type()) {
			return true
		}
	}
	return false
}

// workBetween reports whether something that takes time runs between the call that makes the context and the release.
func workBetween(r *judge.Reporter, c *ssa.Call, e *lockfacts.Event) bool {
	found := false
	reach := lockflow.Walk(lockflow.Options{Start: c, Stop: func(i ssa.Instruction) bool { return i == ssa.Instruction(e.Instr) }})
	if !reach.Has(e.Instr) {
		return false
	}
	reach.Each(c.Parent(), func(i ssa.Instruction) {
		if x, ok := i.(*ssa.Call); ok && x != c && ssa.CallInstruction(x) != e.Instr && (r.Res.IsWork(x) || acquires(r, x)) && leadsTo(x, e.Instr) {
			found = true
		}
	})
	return found
}

// acquires reports whether a call takes a lock: what comes before is outside of the section, and the wait counts as work.
func acquires(r *judge.Reporter, c *ssa.Call) bool {
	for _, e := range r.Res.Events(c.Parent()) {
		if e.Instr == ssa.CallInstruction(c) && e.Op.Acquires() {
			return true
		}
	}
	return false
}

// leadsTo reports whether control can get from one instruction to another.
func leadsTo(a ssa.Instruction, b ssa.Instruction) bool {
	return lockflow.Walk(lockflow.Options{Start: a}).Has(b)
}

// cancelledBefore reports whether the cancel function of a context certainly or possibly runs before the release: it is
// called on the way, deferred after the release was, or handed to somebody who may call it any time.
func cancelledBefore(c *ssa.Call, e *lockfacts.Event) bool {
	for _, ref := range *c.Referrers() {
		x, ok := ref.(*ssa.Extract)
		if !ok || isContext(x.Type()) || x.Referrers() == nil {
			continue
		}
		for _, use := range *x.Referrers() {
			if cancels(use, x, e) || waits(use) && leadsTo(use, e.Instr) {
				return true
			}
		}
	}
	return false
}

func isContext(t types.Type) bool { return t.String() == "context.Context" }

// waits reports whether a call waits for a group, which ends the group's context.
func waits(use ssa.Instruction) bool {
	c, ok := use.(*ssa.Call)
	return ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().String() == "(*golang.org/x/sync/errgroup.Group).Wait"
}

// cancels reports whether one use of a cancel function ends the context before the release runs.
func cancels(use ssa.Instruction, cancel ssa.Value, e *lockfacts.Event) bool {
	switch use := use.(type) {
	case *ssa.Defer: // the last that was deferred runs first
		return use.Call.Value == cancel && e.Deferred && use != e.Instr && leadsTo(e.Instr, use)
	case *ssa.Call:
		if use.Call.Value == cancel {
			return leadsTo(use, e.Instr)
		}
		return false
	}
	return false
}
