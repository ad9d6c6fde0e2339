package lockfacts

import (
	"os"
	"slices"
	"strings"

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
		if len(work) == 0 && t.looked() || t.otherWay() {
			return false
		}
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
		r.Note = t.u.meant(t.fn, i, t.outage, t.taken)
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
		return !isErrorType(v.X.Type()) && (isSetting(v.X) || isSetting(v.Y))
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
		return isErrorType(v.X.Type())
	case *ssa.UnOp:
		return aboutError(v.X)
	case *ssa.Call:
		return len(v.Call.Args) > 0 && isErrorType(v.Call.Args[0].Type())
	}
	return false
}

// conflated finds scenarios that end alike: contention and outage.
func (t *trial) conflated() {
	if t.e.hasRemark(Conflated) || t.errorEscapes() || !t.certain() || !slices.Equal(t.taken.sigs, t.outage.sigs) {
		return
	}
	if !t.goesOn(t.taken) || !t.goesOn(t.outage) || t.allRuns() || t.marks() {
		return
	}
	if at := t.joined(); at.IsValid() {
		t.e.remarked(Remark{Kind: Conflated, At: at, Detail: t.told()})
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
		if _, ok := phi.Edges[n].(*ssa.Const); !ok || isErrorType(phi.Type()) || isBool(phi.Type()) {
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
			if i := t.lastOwn(); i != nil {
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

// workConflated finds a helper that runs work it is given, and returns for contention what it returns for failed work.
func (t *trial) workConflated() {
	if t.lock == nil || t.taken.open() || len(t.taken.sigs) != 1 || !t.runsGiven() {
		return
	}
	busy := lastFace(t.taken.sigs[0])
	if busy == faceNil {
		t.boolConflated()
		return
	}
	if t.asSuccess() {
		return
	}
	if busy == "" || strings.HasPrefix(busy, valueMark) || strings.Contains(busy, "|") {
		return
	}
	for _, s := range t.held.sigs {
		f := lastFace(s)
		if f == faceNil || !t.failsAlike(busy, f) {
			continue
		}
		rets := t.held.returns(s)
		t.e.remarked(Remark{Kind: WorkConflated, At: t.u.placeOf(rets[len(rets)-1]), Detail: t.told()})
		return
	}
}

// boolConflated is for (false, nil): the bool is what tells.
func (t *trial) boolConflated() {
	busy := t.taken.sigs[0]
	if strings.HasPrefix(busy, faceFalse+";") && slices.Contains(t.held.sigs, busy) {
		rets := t.held.returns(busy)
		t.e.remarked(Remark{Kind: WorkConflated, At: t.u.placeOf(rets[len(rets)-1]), Detail: faceFalse})
	}
}

// failsAlike reports whether callers take failed work for contention.
func (t *trial) failsAlike(busy, failed string) bool {
	if busy == faceFalse || busy == faceTrue {
		return failed == busy && len(t.held.sigs) > 1 || strings.HasPrefix(failed, valueMark)
	}
	if busy == faceText {
		return failed == faceText
	}
	for _, m := range strings.Split(busy, "+") {
		if has, sure := hasMark(failed, m); !has || !sure {
			return false
		}
	}
	return true
}

func lastFace(sig string) string { return sig[strings.LastIndexByte(sig, ';')+1:] }

// runsGiven reports whether the section runs a function that the function around is given, and looks at what it returns.
func (t *trial) runsGiven() bool {
	for _, r := range t.a.runs {
		if r.Fn.Strip().Op == keyterm.Param && t.lock.Covers(r.Instr) && r.Instr.Value() != nil && r.Instr.Common().Signature().Results().Len() > 0 {
			return true
		}
	}
	return false
}

// skipped finds contention that is returned as success, by a statement of its own.
func (t *trial) skipped() {
	r := t.fn.Signature.Results()
	if t.lock == nil || t.taken.open() || r.Len() == 0 || !isErrorType(r.At(r.Len()-1).Type()) || !t.asSuccess() || r.Len() > 1 && isBool(r.At(0).Type()) {
		return
	}
	for _, ret := range t.taken.returns("") {
		if t.held.Has(ret) {
			return
		}
	}
	for _, s := range t.taken.sigs {
		if lastFace(s) != faceNil {
			return
		}
	}
	t.e.remarked(Remark{Kind: SkippedAsSuccess, At: t.u.placeOf(t.taken.returns("")[0]), Note: true})
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

func (t *trial) DEBUG() {
	if debugTrial == "" || !strings.Contains(t.fn.String(), debugTrial) {
		return
	}
	println("TRIAL", t.fn.String(), t.e.At.Line, "lock", t.lock != nil, "closed", t.e.Closed, "resultEsc", t.resultEscapes(), "errEsc", t.errorEscapes())
	for n, r := range []*scenarioRun{t.held, t.taken, t.outage} {
		println("  ", n, "open", r.open(), "returned", r.Returned, "loops", r.Has(t.e.Instr))
		for _, s := range r.sigs {
			println("     sig", s)
		}
		for _, x := range r.trace.Ends {
			for _, k := range x.Known {
				print(" known ", k)
			}
			println()
		}
		for i, x := range r.trace.Sides {
			println("     side", i.Cond.String(), t.u.condSite(i).Line, x)
		}
		for _, x := range r.Results {
			print(" res ", x)
		}
		println()
	}
	if t.lock != nil {
		for _, w := range t.work() {
			println("   work", w.String(), t.taken.Has(w), t.outage.Has(w))
		}
	}
}

func (t *trial) DEBUG2() {
	if debugTrial == "" || !strings.Contains(t.fn.String(), debugTrial) {
		return
	}
	println("AFTER", t.fn.String(), t.e.Proven, len(t.e.Remarks), t.joined().Line, t.differs(), t.certain())
}

var debugTrial = os.Getenv("DEBUGTRIAL")
