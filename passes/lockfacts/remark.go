package lockfacts

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Remark is something about an acquire that holds whoever calls the function: that nobody looks at its result, that its
// contract does not tell contention from an outage, how it is waited for. Whether the acquire is that of a lock, callers
// may know better; a remark is only worth a finding where it is.
type Remark struct {
	Kind RemarkKind
	At   Site
	// Note is true where it is meant, or harmless as a rule.
	Note bool
	// Weak is true where it only counts if the acquire is seen to meet a release.
	Weak bool
	// Detail says more, for the message: a kind decides what.
	Detail string
}

// RemarkKind says what a remark is about.
type RemarkKind uint8

// The kinds.
const (
	NoRemark RemarkKind = iota
	Ignored
	Conflated
	WorkConflated
	SkippedAsSuccess
	FailOpen
	Polling
	Unbounded
)

// maxRemarks bounds the remarks of one effect.
const maxRemarks = 8

// remarked adds a remark, once.
func (e *Effect) remarked(r Remark) {
	if !r.At.IsValid() || len(e.Remarks) >= maxRemarks || slices.ContainsFunc(e.Remarks, func(x Remark) bool { return x.Kind == r.Kind && x.At == r.At }) {
		return
	}
	e.Remarks = append(slices.Clip(e.Remarks), r)
}

func (e *Effect) hasRemark(k RemarkKind) bool {
	return slices.ContainsFunc(e.Remarks, func(r Remark) bool { return r.Kind == k })
}

// trial is one acquire of a function, followed through its three scenarios.
type trial struct {
	u    *unit
	fn   *ssa.Function
	a    *activity
	e    *Event
	lock *Lock // nil where the function does not release

	held, taken, outage *scenarioRun
}

// scenarioRun is one scenario.
type scenarioRun struct {
	*lockflow.Reach
	trace *lockflow.Trace
	sigs  []string // how its returns look to callers, sorted
}

// remark follows every acquire of a function.
//
// It is a "may" analysis on both sides: an instruction that a scenario does not reach is certainly not executed in it.
// What is said of two scenarios' ends needs every condition that comes from the acquire to be understood; where one is
// not, nothing is said.
func (u *unit) remark(fn *ssa.Function, a *activity, locks []Lock) {
	for i := range a.events {
		e := &a.events[i]
		if !e.Op.Acquires() || e.Maybe || e.Queued || e.Deferred || e.Async || u.inTest(fn) {
			continue
		}
		t := &trial{u: u, fn: fn, a: a, e: e, lock: lockAt(locks, e)}
		if _, ok := e.Instr.(*ssa.Call); !ok || e.Closed && t.lock == nil {
			continue
		}
		if e.outcome == nil {
			continue
		}
		t.held, t.taken, t.outage = t.run(clientmodel.HeldScenario), t.run(clientmodel.TakenScenario), t.run(clientmodel.OutageScenario)
		if t.held.Cut || t.taken.Cut || t.outage.Cut {
			u.unknown("acquire with too many paths behind it", e.At.Pos)
			continue
		}
		t.judge()
	}
	lastOnly(a)
}

// lockAt is the lock that an acquire belongs to.
func lockAt(locks []Lock, e *Event) *Lock {
	for i := range locks {
		if l := &locks[i]; l.Acquire.Instr == e.Instr && l.Acquire.At == e.At {
			return l
		}
	}
	return nil
}

func (t *trial) judge() {
	if t.ignored() {
		return
	}
	t.failOpen()
	t.conflated()
	t.contextConflated()
	t.workConflated()
	t.skipped()
	t.waits()
}

// lastOnly keeps, of several attempts in one function of which nobody looks at the result, the last.
func lastOnly(a *activity) {
	for i := range a.events {
		e := &a.events[i]
		later := slices.ContainsFunc(a.events[i+1:], func(x Event) bool {
			return x.hasRemark(Ignored) && slices.Contains(e.again, x.Instr)
		})
		if later {
			e.Remarks = slices.DeleteFunc(slices.Clone(e.Remarks), func(r Remark) bool { return r.Kind == Ignored })
		}
	}
}

// run walks one scenario.
func (t *trial) run(s clientmodel.Scenario) *scenarioRun {
	e := t.e
	sc := &scene{u: t.u, e: e, s: s}
	tr := sc.tracer()
	r := &scenarioRun{trace: tr}
	r.Reach = lockflow.Walk(lockflow.Options{Start: e.Instr, Assume: t.u.assume(e, s), Stop: e.untilNext(s, nil),
		NoReturn: t.u.noReturn, Vars: t.u.traceVarsOf(t.fn), Trace: tr})
	for _, end := range tr.Ends {
		plain(t.fn, end)
		r.sigs = append(r.sigs, sig(end))
	}
	slices.Sort(r.sigs)
	r.sigs = slices.Compact(r.sigs)
	return r
}

// traceVarsOf are the variables that traces through a function have to know.
func (u *unit) traceVarsOf(fn *ssa.Function) *lockflow.Vars {
	v, ok := u.traceVars[fn]
	if !ok {
		if u.traceVars == nil {
			u.traceVars = map[*ssa.Function]*lockflow.Vars{}
		}
		v = lockflow.FindTraceVars(fn)
		u.traceVars[fn] = v
	}
	return v
}

// plain writes what is known of a bool, or of nil, as what it is, however it was computed.
func plain(fn *ssa.Function, e lockflow.End) {
	for i, a := range e.Known {
		switch {
		case a == clientmodel.Nil:
			e.Faces[i] = faceNil
		case isBool(fn.Signature.Results().At(i).Type()) && a == clientmodel.True:
			e.Faces[i] = faceTrue
		case isBool(fn.Signature.Results().At(i).Type()) && a == clientmodel.False:
			e.Faces[i] = faceFalse
		}
	}
}

// sig is how a return looks to callers.
func sig(e lockflow.End) string { return strings.Join(e.Faces, ";") }

// open reports whether a condition that comes from the acquire was not understood.
func (r *scenarioRun) open() bool {
	for _, s := range r.trace.Sides {
		if s&lockflow.OpenSide != 0 {
			return true
		}
	}
	return false
}

// ends lists the returns that a scenario gets to, in program order; they need to look like want, if that is not "".
func (r *scenarioRun) returns(want string) []*ssa.Return {
	var out []*ssa.Return
	for _, e := range r.trace.Ends {
		if (want == "" || sig(e) == want) && !slices.Contains(out, e.Return) {
			out = append(out, e.Return)
		}
	}
	slices.SortFunc(out, func(a, b *ssa.Return) int { return a.Block().Index - b.Block().Index })
	return out
}

// traceOutcome adds to an outcome what traces know: which error it is, and what the program's own functions make of
// errors.
func (u *unit) traceOutcome(o *Outcome, e *Event) {
	if _, ok := e.Instr.(*ssa.Call); !ok || o == nil {
		return
	}
	fn := e.Instr.Parent()
	t := &trial{u: u, fn: fn, e: e}
	held, taken, outage := t.run(clientmodel.HeldScenario), t.run(clientmodel.TakenScenario), t.run(clientmodel.OutageScenario)
	o.TakenFaces, o.OutageFaces = taken.faces(), outage.faces()
	held.refine(o.Held)
	taken.refine(o.Taken)
	outage.refine(o.Outage)
}

// refine fills in what a trace knows of results: it is the same walk, and understands more conditions.
func (r *scenarioRun) refine(results []clientmodel.Abstract) {
	if r.Cut {
		return
	}
	for i := range min(len(results), len(r.Results)) {
		if r.Results[i] != 0 {
			results[i] = r.Results[i]
		}
	}
}

// faces describe the results over all returns, nil if that is unknown.
func (r *scenarioRun) faces() []string {
	if r.Cut || len(r.trace.Ends) == 0 {
		return nil
	}
	out := make([]string, len(r.trace.Ends[0].Faces))
	for i := range out {
		var all []string
		for _, e := range r.trace.Ends {
			all = append(all, e.Faces[i])
		}
		out[i] = joinFaces(all)
	}
	return out
}

// ErrorUse is what a function does with errors.
type ErrorUse struct {
	// HandsOn is the number, from 1, of the error parameter that decides whether the function returns an error; else 0.
	HandsOn int
	// Makes is the face of the one error that it returns, if there is one that says what it is.
	Makes string
	// AsksFor is the mark that it asks its last parameter, an error, for.
	AsksFor string
}

func (x ErrorUse) says() bool { return x != ErrorUse{} }

func (u *unit) errorUse(fn *ssa.Function) ErrorUse {
	return ErrorUse{HandsOn: u.findHandsOn(fn), Makes: u.findMakes(fn), AsksFor: u.findAsksFor(fn)}
}
