package lockfacts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Event is an effect as one function sees it: which of its instructions has it.
type Event struct {
	Effect
	Instr ssa.CallInstruction
	Fn    *ssa.Function
	// WhenTaken is true for a release that also runs when the acquire said "taken".
	WhenTaken bool

	outcome *Outcome // what the instruction's results look like, nil if unknown
	roles   []clientmodel.Role
	object  bool // the result is a command object
	element int  // the number of the command, from 1, where the result is a list of command objects
	from    origin
	again   []ssa.CallInstruction // where the function tries the same key once more
}

// runEvent is a call of a function value that only the callers of Fn know.
type runEvent struct {
	Run
	Instr ssa.CallInstruction

	from origin
}

// activity is what a function does, in program order.
type activity struct {
	events []Event
	runs   []runEvent
	// compared are the calls of functions that compare an owner.
	compared []comparedCall
	inner    []InnerAt
}

// Bounds of a summary: a function with more effects than this, or effects further away, keeps the first ones.
const (
	maxEffects = 48
	maxPath    = 7
)

// activityOf lists the effects of every call in the function.
func (u *unit) activityOf(fn *ssa.Function) activity {
	var a activity
	f := u.frame(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok {
				u.callEffects(f, c, &a)
			}
		}
	}
	markComparisons(u, f, &a)
	u.markWatched(&a)
	u.ownInner(fn, &a)
	return a
}

// callEffects adds what one call does.
func (u *unit) callEffects(f *frame, c ssa.CallInstruction, a *activity) {
	if _, ok := c.Common().Value.(*ssa.Builtin); ok {
		return
	}
	if accessor(c) || u.silent(c) {
		return
	}
	for _, t := range u.targets(f, c) {
		switch {
		case t.row != nil:
			u.rowEffects(f, c, t, a)
		case t.summary != nil:
			u.summaryEffects(f, c, t, a)
		default:
			u.unknownCall(f, c, t, a)
		}
	}
}

// silent reports whether a call certainly does nothing to a lock, so that its arguments need not be understood: nearly
// all calls of a program.
func (u *unit) silent(c ssa.CallInstruction) bool {
	fn := c.Common().StaticCallee()
	if fn == nil || boundMethod(fn) {
		return false
	}
	t := u.target(fn)
	obj, _ := t.Object().(*types.Func)
	if _, ok := clientmodel.Lookup(obj); ok {
		return false
	}
	if s := u.summaryOf(t); s != nil {
		return len(s.Effects)+len(s.Runs)+len(s.Inner) == 0
	}
	return !slices.ContainsFunc(c.Common().Args, mayHoldFunctions)
}

// mayHoldFunctions reports whether an argument is a function or a list of such.
func mayHoldFunctions(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	t := v.Type().Underlying()
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem().Underlying()
		if _, iface := t.(*types.Interface); iface {
			return true
		}
	}
	_, ok := t.(*types.Signature)
	return ok
}

func accessor(c ssa.CallInstruction) bool {
	fn := c.Common().StaticCallee()
	if fn == nil {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	_, ok := clientmodel.Accessor(obj)
	return ok
}

// rowEffects reads a call of a client library.
func (u *unit) rowEffects(f *frame, c ssa.CallInstruction, t target, a *activity) {
	if t.row.Commands != nil {
		for _, cmd := range t.row.Commands(clientmodel.Call{Args: t.args}) {
			for _, e := range spread(u.expand(u.effect(f, c, t, cmd))) {
				ev := u.event(f, c, e, t.row)
				ev.element = cmd.Nth
				a.add(ev)
			}
		}
	}
	for _, i := range t.row.Runs {
		if i >= len(t.args) {
			continue
		}
		var watched []keyterm.Term
		if t.row.Watch > 0 && t.row.Watch < len(t.args) && t.args[t.row.Watch].Op == keyterm.List {
			watched = t.args[t.row.Watch].Args
		}
		u.runNow(f, c, t.args[i], watched, clientmodel.Queues(t.obj), a)
	}
}

// effect is a command at its place.
func (u *unit) effect(f *frame, c ssa.CallInstruction, t target, cmd clientmodel.Command) Effect {
	e := commanded(cmd)
	e.At, e.Queued = u.site(f, c), cmd.Queued || len(t.args) > 0 && queueOf(t.args[0])
	e.Owner = e.Owner.Map(u.callKnown)
	if cmd.Library && cmd.Reply == clientmodel.HandleReply {
		e.Key = u.oneValue(e.Key, c)
	}
	if t.obj != nil && t.obj.Pkg() != nil {
		e.Client = t.obj.Pkg().Path()
	}
	if t.row.Ctx >= 0 && t.row.Ctx < len(t.args) {
		e.Ctx = t.args[t.row.Ctx]
	}
	return e
}

// commanded is what a command does, without a place.
func commanded(cmd clientmodel.Command) Effect {
	return Effect{
		Op: cmd.Op, Key: cmd.Key, Owner: cmd.Owner, TTL: cmd.TTL, HasTTL: cmd.HasTTL, Unit: cmd.Unit, Guard: cmd.Guard,
		Faults: cmd.Faults, Library: cmd.Library, Reply: cmd.Reply, Maybe: cmd.Maybe,
		Script: cmd.Script, Keys: cmd.Keys, Args: cmd.Args, KeysKnown: cmd.KeysKnown, ArgsKnown: cmd.ArgsKnown,
	}
}

func (u *unit) site(f *frame, c ssa.CallInstruction) Site {
	return Site{Pos: u.pos(u.callPos(c)), Function: f.name, Package: u.pass.Pkg.Path()}
}

// event puts an effect of a client call into the function.
func (u *unit) event(f *frame, c ssa.CallInstruction, e Effect, row *clientmodel.Row) Event {
	ev := Event{Effect: e, Instr: c, Fn: f.fn, roles: row.Roles, object: row.Roles == nil}
	if e.Reply != clientmodel.NoReply && e.Op.Acquires() {
		ev.outcome = &Outcome{} // read through roles
	}
	ev.placed(c)
	return ev
}

// placed notes how the instruction runs.
func (ev *Event) placed(c ssa.CallInstruction) {
	switch c.(type) {
	case *ssa.Defer:
		ev.Deferred = true
	case *ssa.Go:
		ev.Async = true
	}
}

// add appends an effect unless the function has too many.
func (a *activity) add(e Event) {
	if e.Op != clientmodel.NoOp && len(a.events) < maxEffects && len(e.Path) <= maxPath && !a.has(&e) {
		a.events = append(a.events, e)
	}
}

// has reports whether the function has the effect already: two ways to the same command are one.
func (a *activity) has(e *Event) bool {
	for i := len(a.events) - 1; i >= 0 && a.events[i].Instr == e.Instr; i-- {
		x := &a.events[i]
		if x.At == e.At && x.Op == e.Op && x.Maybe == e.Maybe && x.Key.String() == e.Key.String() && x.TTL.String() == e.TTL.String() &&
			x.Owner.String() == e.Owner.String() {
			return true
		}
	}
	return false
}

// summaryEffects puts the effects of a called function into the caller's terms.
func (u *unit) summaryEffects(f *frame, c ssa.CallInstruction, t target, a *activity) {
	here := u.site(f, c)
	for i := range t.summary.Effects {
		for _, e := range u.instantiate(t.summary.Effects[i], t, here) {
			ev := Event{Effect: e, Instr: c, Fn: f.fn, from: origin{summary: t.summary, effect: i}}
			ev.outcome = t.summary.outcomeOf(i, e.Reply)
			ev.placed(c)
			a.add(ev)
		}
	}
	for _, r := range t.summary.Runs {
		u.runs(f, c, r, t, a)
	}
	u.instantiateComparisons(c, t, a)
	u.innerBelow(f, c, t, a)
}

// outcomeOf is the outcome of an effect. Where the helper did not know the command, the form of its reply decides.
func (s *Summary) outcomeOf(effect int, reply clientmodel.Reply) *Outcome {
	for i := range s.Outcomes {
		if o := &s.Outcomes[i]; o.Effect == effect && (o.Reply == clientmodel.NoReply || o.Reply == reply) {
			return o
		}
	}
	return nil
}

// instantiate rewrites an effect in a caller's terms. A script whose text became known is read here.
func (u *unit) instantiate(e Effect, t target, here Site) []Effect {
	env := t.env
	e.Key, e.Owner = u.relocate(e.Key, t.name, here), u.relocate(e.Owner, t.name, here)
	if dependsOnParams(e.Key) {
		e.KeyAt = here
	}
	if dependsOnParams(e.TTL) {
		e.TTLAt = here
	}
	e.Key, e.Owner, e.TTL = u.subst(e.Key, env), u.subst(e.Owner, env), u.subst(e.TTL, env)
	e.Ctx = u.subst(e.Ctx, env)
	e.Kept.In = u.subst(e.Kept.In, env)
	if e.Op == clientmodel.RunScript || e.Op == clientmodel.RunWords {
		e.Script = u.subst(e.Script, env)
		e.Keys, e.Args = u.substAll(e.Keys, env), u.substAll(e.Args, env)
	}
	e.Path = append([]Site{here}, e.Path...)
	e.Deferred = false
	if e.Op == clientmodel.RunWords {
		return spread(spelled(u.expand(e), here))
	}
	return spread(u.expand(e))
}

// spelled places commands whose words have just become known: they stand where somebody wrote the words, not in the
// helper that runs any command.
func spelled(all []Effect, here Site) []Effect {
	for i := range all {
		if all[i].Op != clientmodel.RunWords {
			all[i].RunAt = all[i].At.Pos
			all[i].At, all[i].Path, all[i].KeyAt, all[i].TTLAt = here, nil, Site{}, Site{}
		}
	}
	return all
}

func (u *unit) substAll(ts []keyterm.Term, env keyterm.Env) []keyterm.Term {
	out := make([]keyterm.Term, len(ts))
	for i, t := range ts {
		out[i] = u.subst(t, env)
	}
	return out
}

// runs carries out a function value that the called function runs: if the caller hands in a function it knows, its
// effects happen at the call; otherwise the caller's callers know.
func (u *unit) runs(f *frame, c ssa.CallInstruction, r Run, t target, a *activity) {
	fn := u.subst(r.Fn, t.env)
	args := u.substAll(r.Args, t.env)
	for i := range args {
		args[i] = u.relocate(args[i], t.name, u.site(f, c))
	}
	under := make([]Held, len(r.Under))
	for i, h := range r.Under {
		h.Key = u.subst(h.Key, t.env)
		under[i] = h
	}
	known := false
	for _, ct := range u.called(fn, args, nil, 0) {
		if ct.summary == nil {
			known = u.runsCommand(f, c, r, ct, a, u.subst(r.Value, t.env)) || known
			continue
		}
		known = true
		here := u.site(f, c)
		for i := range ct.summary.Effects {
			for _, e := range u.instantiate(ct.summary.Effects[i], ct, here) {
				e.Maybe = e.Maybe || r.Maybe
				e.waited(&r)
				ev := Event{Effect: e, Instr: c, Fn: f.fn, from: origin{t.summary, -1, r.Then}}
				ev.placed(c)
				a.add(ev)
			}
		}
		u.innerBelow(f, c, ct, a)
		u.noteRun(ct, under, f, c)
	}
	if !known && handedIn(fn) && len(a.runs) < maxEffects {
		run := Run{Fn: fn, Args: args, Under: under, At: u.site(f, c), Maybe: r.Maybe, Wait: r.Wait}
		if r.Asked.IsValid() {
			run.Asked, run.Value = run.At, u.subst(r.Value, t.env)
		}
		a.runs = append(a.runs, runEvent{Run: run, Instr: c, from: origin{t.summary, -1, r.Then}})
	}
}

func dependsOnParams(t keyterm.Term) bool {
	found := false
	t.Walk(func(p keyterm.Term) bool {
		found = found || p.Op == keyterm.Param
		return !found
	})
	return found
}

// runNow carries out a function value that a client runs before it returns, such as the body of a transaction.
func (u *unit) runNow(f *frame, c ssa.CallInstruction, fn keyterm.Term, watched []keyterm.Term, queued bool, a *activity) {
	here := u.site(f, c)
	for _, t := range u.called(fn, nil, nil, 0) {
		if t.summary == nil {
			continue
		}
		reads := map[string]bool{}
		for i := range t.summary.Effects {
			for _, e := range u.instantiate(t.summary.Effects[i], t, here) {
				e.Queued = e.Queued || queued
				u.underWatch(&e, watched, reads)
				ev := Event{Effect: e, Instr: c, Fn: f.fn}
				ev.placed(c)
				a.add(ev)
			}
		}
	}
}

// queueOf reports whether a client is the queue of a transaction that a watching connection began.
func queueOf(client keyterm.Term) bool {
	return client.Op == keyterm.Call && strings.HasSuffix(client.Text, ".Tx).TxPipeline")
}

// underWatch makes a compare-then-delete of a watched key atomic, if it is queued in the transaction: that fails if
// somebody wrote the key. A command that runs at once, or on another connection, is not guarded by WATCH.
func (u *unit) underWatch(e *Effect, watched []keyterm.Term, reads map[string]bool) {
	for _, w := range watched {
		if !keyterm.Equal(w, e.Key) {
			continue
		}
		switch {
		case e.Op == clientmodel.Get:
			reads[e.Key.String()] = true
		case e.Queued && (e.Guard == clientmodel.NotAtomic || e.Guard == clientmodel.Unchecked && reads[e.Key.String()]):
			e.Guard = clientmodel.Atomic
			switch e.Op {
			case clientmodel.Delete:
				e.Op = clientmodel.CompareAndDelete
			case clientmodel.Expire, clientmodel.SetIfPresent:
				e.Op = clientmodel.CompareAndExpire
			}
		}
	}
}

// unknownCall is a call of a function that nothing is known of: a function value of the callers, or foreign code that
// may call the function values it is given.
func (u *unit) unknownCall(f *frame, c ssa.CallInstruction, t target, a *activity) {
	if handedIn(t.value) && len(a.runs) < maxEffects {
		a.runs = append(a.runs, runEvent{Run: Run{Fn: t.value, Args: t.args, At: u.site(f, c)}, Instr: c})
		return
	}
	here := u.site(f, c)
	for _, arg := range t.args {
		for _, fn := range functionsIn(arg) {
			for _, ct := range u.called(fn, nil, nil, 0) {
				if ct.summary == nil {
					continue
				}
				for i := range ct.summary.Effects {
					for _, e := range u.instantiate(ct.summary.Effects[i], ct, here) {
						e.Maybe = true
						ev := Event{Effect: e, Instr: c, Fn: f.fn}
						ev.placed(c)
						a.add(ev)
					}
				}
			}
		}
	}
}

// functionsIn are the function values that an argument is, or holds as a list.
func functionsIn(t keyterm.Term) []keyterm.Term {
	switch t.Op {
	case keyterm.Func:
		return []keyterm.Term{t}
	case keyterm.List, keyterm.Set:
		var out []keyterm.Term
		for _, a := range t.Args {
			if a.Op == keyterm.Func {
				out = append(out, a)
			}
		}
		return out
	}
	return nil
}

// noteRun remembers under which locks a function of this unit is run by a helper.
func (u *unit) noteRun(t target, under []Held, f *frame, c ssa.CallInstruction) {
	if t.fn == nil {
		return
	}
	u.runsOf[t.fn] = append(u.runsOf[t.fn], ranUnder{under: slices.Clone(under), by: f.fn, at: c, env: t.env})
}

type ranUnder struct {
	under []Held
	by    *ssa.Function
	at    ssa.CallInstruction
	env   keyterm.Env
}

// callPos is where a call is written: the name of the called function, or the go or defer keyword.
func (u *unit) callPos(c ssa.CallInstruction) token.Pos {
	p := c.Pos()
	if !p.IsValid() {
		p = c.Common().Pos()
	}
	if u.names == nil {
		u.names = callNames(u.pass.Files)
	}
	if name, ok := u.names[p]; ok {
		return name
	}
	return p
}

// callNames maps opening parentheses of calls, which is where SSA places a call, to the names that are called.
func callNames(files []*ast.File) map[token.Pos]token.Pos {
	out := map[token.Pos]token.Pos{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch fun := ast.Unparen(call.Fun).(type) {
				case *ast.SelectorExpr:
					out[call.Lparen] = fun.Sel.Pos()
				case *ast.Ident:
					out[call.Lparen] = fun.Pos()
				}
			}
			return true
		})
	}
	return out
}

// handedIn reports whether a function value is one that the function was given: a parameter, or part of one.
func handedIn(fn keyterm.Term) bool {
	for fn.Op == keyterm.Field || fn.Op == keyterm.Lookup || fn.Op == keyterm.Built {
		fn = fn.Args[0]
	}
	return fn.Op == keyterm.Param
}
