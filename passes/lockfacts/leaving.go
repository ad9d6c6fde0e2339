package lockfacts

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Leave is a statement that leaves a critical section while the lock is still held.
type Leave struct {
	At Site
	// How is the statement: "return", "panic", "continue" or "Goexit"; "" where no statement leaves but a branch just
	// ends, and then At is the acquire.
	How string
}

// Leaves lists the statements that certainly leave the section of a lock without a release. It is silent where the lock
// may be somebody else's by then: its handle or owner value was returned, stored, sent or handed over; another function
// releases keys of the class; what the acquire's results say is not understood.
func (r *Result) Leaves(l *Lock) []Leave {
	fn := l.Fn
	if fn.Synthetic != "" || !l.Acquire.tells() || r.u.earlyRelease(l) || r.u.releasedElsewhere(l) {
		return nil
	}
	v := &leaver{u: r.u, l: l, stops: map[ssa.Instruction]bool{}, hands: map[*ssa.Return]bool{}}
	v.findReleases()
	v.findHandovers()
	if l.collection != nil {
		return v.collectedLeaves()
	}
	reach := v.walk(nil)
	if reach.Again { // what happens after the round belongs to what ended it
		reach = v.walk(v.heads())
		reach.Again = true
	}
	if reach.Cut {
		return nil
	}
	v.findReleased()
	switch {
	case v.succeeds:
		return v.leaves(reach)
	case len(v.hands) > 0 && r.onlyHere(fn, &l.Acquire):
		return v.lost(reach) // success hands the lock to the caller
	}
	return nil // what is only deleted after a failure is a mark
}

// tells reports whether the results of an acquire are understood: a walk in which the lock is held must not take the
// branch of the loser.
func (e *Event) tells() bool {
	switch {
	case e.outcome == nil || e.Deferred || e.Async || e.Maybe || e.Queued || queues(receiverOf(e.Instr)):
		return false
	case e.roles != nil || e.object:
		return e.Reply != clientmodel.NoReply
	}
	return telling(e.outcome.Held, e.outcome.Taken)
}

// Known reports whether what the acquire's results say is understood, so that Section is where the lock is held and not
// where somebody else holds it.
func (l *Lock) Known() bool { return l.Acquire.tells() }

// queues reports whether commands on a client are only sent later, by another call, whose error comes first.
func queues(client ssa.Value) bool {
	if client == nil {
		return false
	}
	name := typeName(client.Type())
	return strings.HasSuffix(name, ".Pipeline") || strings.HasSuffix(name, ".Pipeliner")
}

// earlyRelease reports whether a release was deferred before the lock was taken.
func (u *unit) earlyRelease(l *Lock) bool {
	return slices.ContainsFunc(l.Releases, func(e Event) bool { return early(&e, &l.Acquire) || e.follows(&l.Acquire) })
}

// releasedElsewhere reports whether a function that has not acquired it releases keys of the lock's class, and is no
// helper of the lock's own releases: it may be the one that gives this lock back.
func (u *unit) releasedElsewhere(l *Lock) bool {
	if l.Acquire.Library && (l.Acquire.Reply == clientmodel.HandleReply || ownObject(receiverOf(l.Acquire.Instr))) {
		return false // nobody else has the object
	}
	class := shape(l.Fn, l.Acquire.Key)
	if class == "" || u.randomOwner(l) {
		return false
	}
	own := map[string]bool{l.Fn.String(): true}
	for _, e := range l.Releases {
		own[e.At.Function] = true
		for _, s := range e.Path {
			own[s.Function] = true
		}
	}
	for _, fn := range u.openReleases()[class] {
		if !own[fn.String()] && !isInside(fn, l.Fn) {
			return true
		}
	}
	return false
}

// openReleases are the functions that release keys of a class which they have not acquired, by class.
func (u *unit) openReleases() map[string][]*ssa.Function {
	if u.open != nil {
		return u.open
	}
	u.open = map[string][]*ssa.Function{}
	for _, fn := range u.fns {
		for _, e := range u.eventsOf(fn) {
			if !e.Op.Releases() || e.Closed || dependsOnParams(e.Owner) {
				continue
			}
			class := shape(fn, e.Key)
			if fns := u.open[class]; len(fns) == 0 || fns[len(fns)-1] != fn {
				u.open[class] = append(fns, fn)
			}
		}
	}
	return u.open
}

// randomOwner reports whether only this flow can prove that it owns the lock: the owner value was made for it.
func (u *unit) randomOwner(l *Lock) bool {
	return isRandom(l.Acquire.Owner.Strip()) && slices.ContainsFunc(l.Releases, func(e Event) bool { return e.Guard == clientmodel.Atomic })
}

// receiverOf is the object whose method a call runs, or nil.
func receiverOf(c ssa.CallInstruction) ssa.Value {
	common := c.Common()
	if common.IsInvoke() {
		return common.Value
	}
	if fn := common.StaticCallee(); fn != nil && fn.Signature.Recv() != nil && len(common.Args) > 0 {
		return common.Args[0]
	}
	return nil
}

// isInside reports whether fn is a function literal of outer, at any depth.
func isInside(fn, outer *ssa.Function) bool {
	for p := fn.Parent(); p != nil; p = p.Parent() {
		if p == outer {
			return true
		}
	}
	return false
}

// leaver is one search for the statements that leave one section.
type leaver struct {
	u *unit
	l *Lock
	// stops are the instructions behind which the lock is no longer this flow's: releases and hand-overs.
	stops map[ssa.Instruction]bool
	// hands are the returns that hand the lock to the caller.
	hands map[*ssa.Return]bool
	// succeeds is true where a path that released ends well; fails where every such path ends in failure.
	succeeds, fails bool
}

// findReleases stops the walk at every release that may be of this lock: one of another key of the class too, because
// one value can be spelled in two ways.
func (v *leaver) findReleases() {
	acq := &v.l.Acquire
	for _, e := range v.u.eventsOf(v.l.Fn) {
		switch {
		case e.Instr == acq.Instr || !maySame(e.Key, acq.Key):
		case e.Op.Releases(), e.Op == clientmodel.Get: // who asks for the owner knows when the lock is lost
			v.stops[e.Instr] = true
		}
	}
	for _, b := range v.l.Fn.Blocks { // what nothing is known of may release what it is given
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && v.runsHandedIn(c) {
				v.stops[i] = true
			}
		}
	}
}

// runsHandedIn reports whether a call is of a function value without parameters or results that the function was given
// or looks up: a release, perhaps.
func (v *leaver) runsHandedIn(c ssa.CallInstruction) bool {
	common := c.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return false
	}
	if _, ok := common.Value.(*ssa.Builtin); ok || isCancel(common.Value.Type()) {
		return false
	}
	sig := common.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 0
}

// maySame reports whether two keys can be the same.
func maySame(a, b keyterm.Term) bool {
	if keyterm.Equal(a, b) {
		return true
	}
	x, y := a.Class(), b.Class()
	return x == "" || y == "" || a.HasUnknown() || b.HasUnknown() || x == y && !(a.IsClosed() && b.IsClosed())
}

// walk follows the paths on which the lock is held until it is given back or handed over, or a round of a loop ends.
func (v *leaver) walk(heads map[*ssa.BasicBlock]bool) *lockflow.Reach {
	acq := &v.l.Acquire
	vars := v.u.varsOf(v.l.Fn)
	return lockflow.Walk(lockflow.Options{
		Start: acq.Instr, Assume: v.extended(v.u.assume(acq, clientmodel.HeldScenario)), NoReturn: v.u.noReturn, Vars: vars,
		Stop:  func(i ssa.Instruction) bool { return v.stops[i] || heads[i.Block()] },
		Edges: true,
		Learn: lockflow.FindLearned(v.l.Fn, vars, v.u.aliases(v.l.Fn)),
	})
}

// aliases names values that are certainly equal wherever the function reads them, as far as that is known: fields,
// variables, and what is asked of them. An error is always another one.
func (u *unit) aliases(fn *ssa.Function) func(ssa.Value) string {
	f := u.frame(fn)
	return func(v ssa.Value) string {
		if lockflow.IsError(v.Type()) {
			return ""
		}
		if t := f.value(v); !t.HasUnknown() && t.Op != keyterm.Const && t.Op != keyterm.Set {
			return t.String()
		}
		return ""
	}
}

// extended assumes that extending succeeds: where it does not, the lock is lost and there is nothing to release.
func (v *leaver) extended(assume lockflow.Assume) lockflow.Assume {
	calls := map[*ssa.Call]bool{}
	for _, e := range v.u.eventsOf(v.l.Fn) {
		if c, ok := e.Instr.(*ssa.Call); ok && e.Op.Extends() && c != v.l.Acquire.Instr && maySame(e.Key, v.l.Acquire.Key) {
			calls[c] = true
		}
	}
	return func(x ssa.Value) (clientmodel.Abstract, bool) {
		a, known := assume(x)
		c, ok := resultOf(x)
		switch {
		case ok && a == 0 && c == v.l.Acquire.Instr && lockflow.IsError(x.Type()):
			return clientmodel.Nil, true // whoever has the lock is not told of an error
		case known:
			return a, true
		case !ok || !calls[c] && !(accessor(c) && calls[accessedCall(c)]):
			return 0, false
		case lockflow.IsError(x.Type()):
			return clientmodel.Nil, true
		case isBasic(x.Type(), types.IsBoolean|types.IsInteger):
			return clientmodel.True, true
		}
		return 0, false
	}
}

func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// resultOf is the call that a value is a result of.
func resultOf(v ssa.Value) (*ssa.Call, bool) {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	c, ok := v.(*ssa.Call)
	return c, ok
}

// accessedCall is the call whose command object an accessor reads, or nil.
func accessedCall(c *ssa.Call) *ssa.Call {
	v := c.Call.Value
	if !c.Call.IsInvoke() && len(c.Call.Args) > 0 {
		v = c.Call.Args[0]
	}
	for range 4 {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Call:
			return x
		}
	}
	return nil
}

// leaves lists what the walk came to.
func (v *leaver) leaves(reach *lockflow.Reach) []Leave {
	var out []Leave
	add := func(how string, pos token.Pos) {
		x := Leave{How: how, At: Site{Pos: v.u.pos(pos), Function: v.l.Fn.String(), Package: v.u.pass.Pkg.Path()}}
		if !pos.IsValid() {
			x.How, x.At = "", v.u.site(v.u.frame(v.l.Fn), v.l.Acquire.Instr)
		}
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	reach.Each(v.l.Fn, func(i ssa.Instruction) {
		switch i := i.(type) {
		case *ssa.Return:
			if v.leaks(i) {
				add("return", i.Pos())
			}
		case *ssa.Panic:
			if i.Pos().IsValid() {
				add("panic", i.Pos())
			}
		case *ssa.Call:
			if calleeName(&i.Call) == "runtime.Goexit" {
				add("Goexit", i.Pos())
			}
		}
	})
	if reach.Again {
		for _, pos := range v.rounds(reach) {
			add("continue", pos)
		}
	}
	return out
}

// leaks reports whether a return that is reached with the lock held loses it. A key that is deleted without a look at its
// owner may be a mark: that one is only lost by a return that says so, where success releases.
func (v *leaver) leaks(ret *ssa.Return) bool {
	yes, no := outcome(ret)
	switch {
	case v.hands[ret], len(ret.Results) > 0 && yes && v.fails:
		return false // the caller has it, or is told that it has
	case v.bare():
		return no || len(ret.Results) == 0
	}
	return true
}

// bare reports whether no release of the lock looks at its owner.
func (v *leaver) bare() bool {
	return !slices.ContainsFunc(v.l.Releases, func(e Event) bool { return e.Library || e.Guard != clientmodel.Unchecked })
}

// InPipeline reports whether a command is only sent later, with others: its own result says nothing then.
func (e *Event) InPipeline() bool { return e.Queued || queues(receiverOf(e.Instr)) }

// Returned reports whether the function returns what proves the ownership of the lock.
func (r *Result) Returned(l *Lock) bool {
	v := &leaver{u: r.u, l: l, stops: map[ssa.Instruction]bool{}, hands: map[*ssa.Return]bool{}}
	v.findHandovers()
	return len(v.hands) > 0
}
