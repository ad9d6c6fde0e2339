package lockfacts

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// A function may take several locks in a loop, keep their objects in a list, and release what is in the list in another
// loop. The key of what is released is not known then, but the list is.

// collection is a list that the locks of a loop are kept in.
type collection struct {
	lists   map[ssa.Value]bool       // the list, in all the values that it is
	appends map[ssa.Instruction]bool // where a lock goes into it
	// heads are the loops over the list that release; loops have them in the function itself, by the releasing call.
	heads map[*ssa.BasicBlock]bool
	loops map[ssa.Instruction]*ssa.BasicBlock
}

// Collected are the locks that a function takes in a loop and releases from a list. Their Section is not known.
func (r *Result) Collected() []Lock {
	var out []Lock
	for _, fn := range r.Functions {
		events := r.u.eventsOf(fn)
		for i := range events {
			if e := &events[i]; e.Op.Acquires() && e.Library && !e.Closed && e.tells() {
				if l, ok := r.u.collected(fn, events, e); ok {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// collected looks for the list that an acquire's lock is kept in, and for the loop that releases what is in there.
func (u *unit) collected(fn *ssa.Function, events []Event, acq *Event) (Lock, bool) {
	c := &collection{lists: map[ssa.Value]bool{}, appends: map[ssa.Instruction]bool{}, heads: map[*ssa.BasicBlock]bool{},
		loops: map[ssa.Instruction]*ssa.BasicBlock{}}
	for _, h := range handles(acq) {
		c.follow(h, map[ssa.Value]bool{})
	}
	l := Lock{Fn: fn, Acquire: *acq, collection: c}
	if len(c.appends) == 0 {
		return l, false
	}
	for _, e := range events {
		if e.Op.Releases() && e.Library && c.releases(u, &e) {
			l.Releases = append(l.Releases, e)
		}
	}
	return l, len(l.Releases) > 0
}

// handles are the values that stand for the lock of an acquire: the object whose method it is, or what it returns.
func handles(acq *Event) []ssa.Value {
	var out []ssa.Value
	if recv := receiverOf(acq.Instr); ownObject(recv) && !queues(recv) {
		out = append(out, recv)
	}
	if c := acq.Instr.Value(); c != nil && acq.Reply == clientmodel.HandleReply {
		for _, r := range *c.Referrers() {
			if x, ok := r.(*ssa.Extract); ok && x.Index == 0 {
				out = append(out, x)
			}
		}
	}
	return out
}

// follow goes from a lock object to the lists that it is appended to.
func (c *collection) follow(v ssa.Value, seen map[ssa.Value]bool) {
	if seen[v] || v.Referrers() == nil {
		return
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if ia, ok := r.Addr.(*ssa.IndexAddr); ok && r.Val == v {
				c.follow(ia.X, seen)
			} else if a, ok := r.Addr.(*ssa.Alloc); ok && r.Val == v {
				c.follow(a, seen)
			}
		case *ssa.Slice:
			c.follow(r, seen)
		case *ssa.UnOp:
			c.follow(r, seen)
		case *ssa.Call:
			if appends(r) && len(r.Call.Args) == 2 && r.Call.Args[1] == v {
				c.appends[r] = true
				c.list(r)
			}
		}
	}
}

// list notes all the values that a list is.
func (c *collection) list(v ssa.Value) {
	if c.lists[v] || v.Referrers() == nil {
		return
	}
	c.lists[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Phi:
			c.list(r)
		case *ssa.UnOp:
			if r.Op == token.MUL {
				c.list(r)
			}
		case *ssa.Store:
			if a, ok := r.Addr.(*ssa.Alloc); ok && r.Val == v {
				c.list(a)
			}
		case *ssa.Call:
			if appends(r) && r.Call.Args[0] == v {
				c.list(r)
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			if i := slices.Index(r.Bindings, v); i >= 0 && i < len(fn.FreeVars) {
				c.list(fn.FreeVars[i])
			}
		}
	}
}

// releases reports whether a release is of an element of the list, here or in a function literal.
func (c *collection) releases(u *unit, e *Event) bool {
	instr := ssa.Instruction(e.Instr)
	if mc, ok := e.Instr.Common().Value.(*ssa.MakeClosure); ok {
		if inner := u.innerInstr(mc.Fn.(*ssa.Function), e); inner != nil {
			instr = inner
		}
	}
	call, ok := instr.(ssa.CallInstruction)
	if !ok || !c.element(receiverOf(call)) {
		return false
	}
	if head := loopHead(instr.Block()); head != nil && instr.Parent() == e.Fn {
		if _, deferred := instr.(*ssa.Defer); !deferred {
			c.heads[head], c.loops[instr] = true, head
		}
	}
	return true
}

// element reports whether a value is an element of the list.
func (c *collection) element(v ssa.Value) bool {
	u, ok := v.(*ssa.UnOp)
	if !ok || u.Op != token.MUL {
		return false
	}
	ia, ok := u.X.(*ssa.IndexAddr)
	return ok && c.lists[ia.X]
}

// loopHead is the head of the innermost loop around a block, or nil.
func loopHead(b *ssa.BasicBlock) *ssa.BasicBlock {
	for d := b; d != nil; d = d.Idom() {
		for _, p := range d.Preds {
			if d.Dominates(p) && (p == b || lockflow.CanReach(b, p)) {
				return d
			}
		}
	}
	return nil
}

// collectedLeaves lists the statements that leave while something is in the list: on the way to the loop that releases,
// where a later round does not get its lock, and inside that loop.
func (v *leaver) collectedLeaves() []Leave {
	c := v.l.collection
	for i := range c.appends {
		delete(v.stops, i)
	}
	inside := func(i ssa.Instruction) bool { return v.stops[i] || c.heads[i.Block()] }
	walk := func(start ssa.Instruction, assume lockflow.Assume, stop func(ssa.Instruction) bool) []Leave {
		reach := lockflow.Walk(lockflow.Options{Start: start, Assume: assume, Stop: stop, NoReturn: v.u.noReturn, Vars: v.u.varsOf(v.l.Fn)})
		if reach.Cut {
			return nil
		}
		reach.Again = false
		return v.leaves(reach)
	}
	acq := &v.l.Acquire
	out := walk(acq.Instr, v.extended(v.u.assume(acq, clientmodel.HeldScenario)), inside)
	if lockflow.CanReach(acq.Instr.Block(), acq.Instr.Block()) {
		out = append(out, walk(acq.Instr, v.u.assume(acq, clientmodel.TakenScenario), inside)...)
	}
	for i, head := range c.loops {
		out = append(out, walk(i, nil, func(i ssa.Instruction) bool { return i.Block() == head })...)
	}
	slices.SortFunc(out, func(a, b Leave) int { return a.At.Line - b.At.Line })
	return slices.Compact(out)
}

// IsCollected reports whether the lock is one of several that are kept in a list; see Collected.
func (l *Lock) IsCollected() bool { return l.collection != nil }
