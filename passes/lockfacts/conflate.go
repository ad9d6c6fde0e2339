package lockfacts

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

// conflated finds scenarios that end alike: contention and outage.
func (t *trial) conflated() {
	if t.e.hasRemark(Conflated) || t.errorEscapes() || !t.certain() || !slices.Equal(t.taken.sigs, t.outage.sigs) {
		return
	}
	if !t.goesOn(t.taken) || !t.goesOn(t.outage) || t.allRuns() || t.marks() {
		return
	}
	if at := t.joined(); at.IsValid() {
		t.e.remarked(Remark{Kind: Conflated, At: at, Detail: t.told(), Note: t.logsError() && t.tellsNoReason()})
	}
}

// marks reports whether the two cases leave different constants in a variable that is used for something: a status, the
// text of an answer.
func (t *trial) marks() bool {
	for _, b := range t.fn.Blocks {
		for _, i := range b.Instrs {
			phi, ok := i.(*ssa.Phi)
			if !ok {
				break
			}
			if t.marksIn(phi) {
				return true
			}
		}
	}
	return false
}

func (t *trial) marksIn(phi *ssa.Phi) bool {
	var taken, out ssa.Value
	for n, p := range phi.Block().Preds {
		last := p.Instrs[len(p.Instrs)-1]
		if _, ok := phi.Edges[n].(*ssa.Const); !ok || lockflow.IsError(phi.Type()) || isBool(phi.Type()) {
			continue
		}
		switch k, o := t.taken.Has(last), t.outage.Has(last); {
		case k && !o:
			taken = phi.Edges[n]
		case o && !k:
			out = phi.Edges[n]
		}
	}
	if taken == nil || out == nil || constFace(taken.(*ssa.Const)) == constFace(out.(*ssa.Const)) {
		return false
	}
	for _, r := range *phi.Referrers() {
		if _, compared := r.(*ssa.BinOp); !compared {
			return true
		}
	}
	return false
}

// allRuns reports whether all of the section's work may run when the lock is taken.
func (t *trial) allRuns() bool {
	if t.lock == nil {
		return false
	}
	work := t.work()
	return len(work) > 0 && !slices.ContainsFunc(work, func(c ssa.CallInstruction) bool { return !t.taken.Has(c) })
}

// goesOn reports whether a scenario returns, or goes on to the next of several items: it does not end the process, and
// does not try again for ever.
func (t *trial) goesOn(r *scenarioRun) bool {
	return r.Returned || r.Has(t.e.Instr) && t.held.Has(t.e.Instr)
}

// logsError reports whether the error itself is written to a log in what both cases share: whoever reads it can tell.
func (t *trial) logsError() bool {
	for _, b := range t.fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(*ssa.Call)
			if !ok || !t.taken.Has(i) || !t.outage.Has(i) || t.held.Has(i) || !logs(&c.Call) {
				continue
			}
			if slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool { return madeFrom(a, t.e.Instr.Value(), 0, visited{}) }) {
				return true
			}
		}
	}
	return false
}

// tellsNoReason reports whether callers are told at most that it failed, and not that somebody else works.
func (t *trial) tellsNoReason() bool {
	return !slices.ContainsFunc(t.taken.sigs, func(s string) bool {
		f := lastFace(s)
		return f != "" && f != faceNil && f != faceFalse && f != faceTrue
	})
}

// visited are the values that a search with a limited depth has been at, and how deep it was then: what many values are
// computed from is looked at once, and again only from nearer.
type visited map[ssa.Value]int

// before reports whether the search has been at v at this depth or nearer, and notes that it is there now.
func (seen visited) before(v ssa.Value, depth int) bool {
	if at, ok := seen[v]; ok && at <= depth {
		return true
	}
	seen[v] = depth
	return false
}

// madeFrom reports whether a value is computed from a call, as a text or otherwise.
func madeFrom(v ssa.Value, root ssa.Value, depth int, seen visited) bool {
	if v == root {
		return true
	}
	if depth > 10 || seen.before(v, depth) {
		return false
	}
	if a, ok := v.(*ssa.Alloc); ok {
		return storedInto(a, root, depth, seen)
	}
	i, ok := v.(ssa.Instruction)
	if !ok {
		return false
	}
	for _, o := range i.Operands(nil) {
		if *o != nil && madeFrom(*o, root, depth+1, seen) {
			return true
		}
	}
	return false
}

// storedInto looks at what is stored in a local variable, or in the elements of a list.
func storedInto(a ssa.Value, root ssa.Value, depth int, seen visited) bool {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == a && madeFrom(r.Val, root, depth+1, seen) {
				return true
			}
		case *ssa.IndexAddr:
			if r.X == a && storedInto(r, root, depth+1, seen) {
				return true
			}
		}
	}
	return false
}

// certain reports whether the ends of contention and outage are known: every condition was understood, or there is one
// end only.
func (t *trial) certain() bool {
	if !t.taken.open() && !t.outage.open() {
		return true
	}
	return len(t.taken.sigs) == 1 && len(t.outage.sigs) == 1 && t.fn.Signature.Results().Len() > 0
}

// told is what callers are told in both cases.
func (t *trial) told() string {
	if t.fn.Signature.Results().Len() == 0 || len(t.taken.sigs) != 1 {
		return ""
	}
	s := t.taken.sigs[0]
	s = s[strings.LastIndexByte(s, ';')+1:]
	if name, ok := strings.CutPrefix(s, varMark); ok {
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	if s == faceNil || s == faceFalse || s == faceTrue {
		return s
	}
	return ""
}

// joined is where contention and outage become one, not valid if they are told apart on the way.
func (t *trial) joined() Site {
	if i := t.sharedIf(); i != nil {
		if ret := t.sharedReturn(); ret != nil && (t.ownReturn(ret) || !t.direct(i)) {
			return t.u.placeOf(ret)
		}
		if t.tellsLogs() && t.void() {
			return Site{}
		}
		return t.u.condSite(i)
	}
	quiet := !t.differs()
	if ret := t.sharedReturn(); ret != nil {
		if t.ownReturn(ret) {
			return t.u.placeOf(ret)
		}
		if quiet {
			if i := t.lastOwn(); i != nil && t.again() {
				return t.u.condSite(i)
			}
			return t.u.placeOf(ret)
		}
		if t.sameBranch() && !t.void() && !t.asSuccess() {
			return t.u.condSite(t.lastOwn())
		}
		return Site{}
	}
	return t.apart(quiet)
}

// apart is the place for ends in different statements: what an outage returns, or, where both are mere texts, what
// contention does. In a function that tells nothing, or says that all is well, it counts what is done on the way.
func (t *trial) apart(quiet bool) Site {
	if len(t.outage.trace.Ends) == 0 || len(t.taken.trace.Ends) == 0 {
		return Site{}
	}
	if (t.void() || t.asSuccess()) && !quiet {
		return Site{}
	}
	rets := t.outage.returns("")
	if len(t.taken.sigs) == 1 && strings.HasSuffix(t.taken.sigs[0], faceText) {
		rets = t.taken.returns("")
	}
	return t.u.placeOf(rets[len(rets)-1])
}

// void reports whether the function returns nothing.
func (t *trial) void() bool { return t.fn.Signature.Results().Len() == 0 }

// asSuccess reports whether contention ends as success does.
func (t *trial) asSuccess() bool {
	for _, s := range t.taken.sigs {
		f := lastFace(s)
		if !slices.Contains(t.held.sigs, s) || f != faceNil && f != faceTrue && f != "" {
			return false
		}
	}
	return len(t.taken.sigs) > 0
}

// sharedIf is the last condition that goes one way in both cases and the other way when the lock is held.
func (t *trial) sharedIf() *ssa.If {
	var best *ssa.If
	for _, b := range t.fn.Blocks {
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		k, o, h := t.taken.trace.Sides[i], t.outage.trace.Sides[i], t.held.trace.Sides[i]
		if k == o && (k == lockflow.TrueSide || k == lockflow.FalseSide) && h != k && h != 0 && t.laterIf(i, best) {
			best = i
		}
	}
	return best
}

// laterIf reports whether a condition stands behind another one in the text.
func (t *trial) laterIf(i, than *ssa.If) bool {
	return than == nil || t.u.condSite(i).Line >= t.u.condSite(than).Line
}

// lastOwn is the last condition that either case decides.
func (t *trial) lastOwn() *ssa.If {
	var best *ssa.If
	for _, b := range t.fn.Blocks {
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		for _, r := range []*scenarioRun{t.taken, t.outage} {
			s := r.trace.Sides[i]
			if (s == lockflow.TrueSide || s == lockflow.FalseSide) && t.held.trace.Sides[i] != s && t.held.trace.Sides[i] != 0 && t.laterIf(i, best) {
				best = i
			}
		}
	}
	return best
}

// sharedReturn is a return that both cases get to, nil if they have none in common.
func (t *trial) sharedReturn() *ssa.Return {
	for _, r := range t.taken.returns("") {
		if slices.Contains(t.outage.returns(""), r) {
			return r
		}
	}
	return nil
}

// ownReturn reports whether it is the return itself that tells "held": its value comes from the acquire.
func (t *trial) ownReturn(ret *ssa.Return) bool {
	for _, h := range t.held.trace.Ends {
		if h.Return == ret && !slices.Contains(t.taken.sigs, sig(h)) {
			return true
		}
	}
	return false
}

// direct reports whether no other choice stands between the condition and the end: a loop that tries again, as a rule.
func (t *trial) direct(i *ssa.If) bool {
	b := i.Block().Succs[0]
	if t.taken.trace.Sides[i] == lockflow.FalseSide {
		b = i.Block().Succs[1]
	}
	for range len(t.fn.Blocks) {
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Jump:
			if b.Succs[0].Dominates(i.Block()) {
				return t.again() // the next item, or the next try
			}
			b = b.Succs[0]
		case *ssa.If:
			s := t.taken.trace.Sides[last]
			return s == lockflow.TrueSide || s == lockflow.FalseSide || t.held.Has(last) && t.again()
		default:
			return true
		}
	}
	return true
}

// again reports whether the function never comes back to the acquire, or does so whatever it said: for the next of
// several items.
func (t *trial) again() bool { return !t.taken.Has(t.e.Instr) || t.held.Has(t.e.Instr) }

// differs reports whether something is done in one of the two cases only.
func (t *trial) differs() bool { return t.calls(t.outage, t.taken) || t.calls(t.taken, t.outage) }

// tellsLogs reports whether an outage is logged, or anything else done about it alone.
func (t *trial) tellsLogs() bool { return t.calls(t.outage, t.taken) }

// calls reports whether one scenario runs a call or a store that the other does not.
func (t *trial) calls(in, notIn *scenarioRun) bool {
	for _, b := range t.fn.Blocks {
		for _, i := range b.Instrs {
			if !in.Has(i) || notIn.Has(i) || t.held.Has(i) {
				continue
			}
			switch i := i.(type) {
			case *ssa.Call:
				if _, ok := i.Call.Value.(*ssa.Builtin); !ok && !accessor(i) && !asksError(i) {
					return true
				}
			case *ssa.Go, *ssa.Send, *ssa.MapUpdate:
				return true
			case *ssa.Store:
				if _, local := i.Addr.(*ssa.Alloc); !local && !variadicStore(i) {
					return true
				}
			}
		}
	}
	return false
}

func asksError(c *ssa.Call) bool {
	switch calleeName(&c.Call) {
	case "errors.Is", "errors.As":
		return true
	}
	return false
}

func variadicStore(s *ssa.Store) bool {
	ia, ok := s.Addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	_, ok = ia.X.(*ssa.Alloc)
	return ok
}

// sameBranch reports whether both cases go through a block, before their return, that a held lock does not.
func (t *trial) sameBranch() bool {
	for _, b := range t.fn.Blocks {
		first := b.Instrs[0]
		if t.taken.Has(first) && t.outage.Has(first) && !t.held.Has(first) && t.lastOwn() != nil {
			return true
		}
	}
	return false
}
