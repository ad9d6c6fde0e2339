package lockfacts

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Wait is how something is tried again until it says yes.
type Wait struct {
	// At is the loop, or the call by which a function tries again; not valid where nothing is tried again.
	At Site
	// Pause is what lies between two tries.
	Pause Pause
	// Limited: it ends after some tries or some time. Ends: a context, or a signal to stop, ends it. Fails: an error of
	// the attempt ends it.
	Limited, Ends, Fails bool
}

// Pause is the pause between two tries.
type Pause uint8

// The pauses.
const (
	NoPause      Pause = iota // none: it spins
	FixedPause                // always the same
	GrowingPause              // it grows, or is random, or nobody knows
)

// waits looks for a loop around the acquire that somebody else's lock keeps going and one's own ends.
func (t *trial) waits() {
	t.blocks()
	l := &retry{u: t.u, fn: t.fn, at: t.e.Instr, held: t.held.Reach, taken: t.taken.Reach}
	w, ok := l.wait()
	if !ok {
		return
	}
	w.Fails = !t.outage.Has(t.e.Instr) && t.onContext()
	t.e.waitRemarks(w, inRequest(t.fn))
}

// waited notes that a helper runs the function which has the effect again and again.
func (e *Effect) waited(r *Run) {
	if r.Wait.At.IsValid() && e.Op.Acquires() && !e.Closed {
		e.waitRemarks(r.Wait, false)
	}
}

// waitRemarks judges a wait. A context that reaches the command ends the wait with the command's error.
func (e *Effect) waitRemarks(w Wait, request bool) {
	detail := ""
	if request {
		detail = "request"
	}
	ends := w.Ends || w.Fails
	switch {
	case w.Limited:
		if w.Pause != GrowingPause {
			e.remarked(Remark{Kind: Polling, At: w.At, Note: true, Detail: detail})
		}
	case ends && w.Pause != GrowingPause:
		e.remarked(Remark{Kind: Polling, At: w.At, Detail: detail})
	case !ends:
		e.remarked(Remark{Kind: Unbounded, At: w.At, Detail: detail})
		if w.Pause == NoPause {
			e.remarked(Remark{Kind: Polling, At: w.At, Detail: detail})
		}
	}
}

// onContext reports whether the attempt runs on a context that something can end.
func (t *trial) onContext() bool {
	for _, a := range t.e.Instr.Common().Args {
		if isContext(a.Type()) && !endless(a, 0) {
			return true
		}
	}
	return false
}

// endless reports whether a context is a fresh one that nothing ends.
func endless(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return endless(v.X, depth+1)
	case *ssa.Call:
		switch calleeName(&v.Call) {
		case "context.Background", "context.TODO":
			return true
		case "context.WithoutCancel":
			return true
		case "context.WithValue":
			return depth < 5 && endless(v.Call.Args[0], depth+1)
		}
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok { // a package-level context has nobody's end
			return g != nil
		}
	}
	return false
}

// bounded reports whether a context has a deadline that the function itself gave it.
func bounded(v ssa.Value, depth int) bool {
	if depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Extract:
		c, ok := v.Tuple.(*ssa.Call)
		if !ok {
			return false
		}
		switch calleeName(&c.Call) {
		case "context.WithTimeout", "context.WithDeadline", "context.WithTimeoutCause", "context.WithDeadlineCause":
			return true
		case "context.WithCancel":
			return bounded(c.Call.Args[0], depth+1)
		}
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return e != v && bounded(e, depth+1) })
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			for _, r := range *a.Referrers() {
				if s, ok := r.(*ssa.Store); ok && s.Addr == a && bounded(s.Val, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// inRequest reports whether a function answers a request.
func inRequest(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			switch typeName(p.Type()) {
			case "net/http.Request", "github.com/gin-gonic/gin.Context", "github.com/labstack/echo/v4.Context", "github.com/gofiber/fiber/v2.Ctx":
				return true
			}
		}
	}
	return false
}

// blocks notes a library's acquire that waits for as long as its context lives, on one that nothing ends.
func (t *trial) blocks() {
	fn := t.e.Instr.Common().StaticCallee()
	var obj *types.Func
	if fn != nil {
		obj, _ = fn.Object().(*types.Func)
	} else {
		obj = t.e.Instr.Common().Method
	}
	if obj == nil || !clientmodel.Blocks(obj) {
		return
	}
	for _, a := range t.e.Instr.Common().Args {
		if isContext(a.Type()) && endless(a, 0) {
			t.e.remarked(Remark{Kind: Unbounded, At: t.u.placeOf(t.e.Instr), Detail: "library"})
		}
	}
}

// retry is a call that is made again while it says no.
type retry struct {
	u           *unit
	fn          *ssa.Function
	at          ssa.CallInstruction
	held, taken *lockflow.Reach

	loop map[*ssa.BasicBlock]bool
}

// wait describes the loop, if there is one: no brings the function back to the call, and yes does not.
func (l *retry) wait() (Wait, bool) {
	if !l.taken.Has(l.at) {
		return l.recursion()
	}
	if l.held.Has(l.at) {
		return Wait{}, false
	}
	l.findLoop()
	if l.each() {
		return Wait{}, false
	}
	w := Wait{At: l.u.loopSite(l.at), Pause: l.pause()}
	if !w.At.IsValid() {
		w.At = l.u.placeOf(l.at)
	}
	l.exits(&w)
	return w, true
}

// recursion is a function that calls itself when it was told no.
func (l *retry) recursion() (Wait, bool) {
	for _, b := range l.fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(*ssa.Call)
			if !ok || !l.taken.Has(i) || l.held.Has(i) || c.Call.StaticCallee() != l.fn {
				continue
			}
			w := Wait{At: l.u.placeOf(c)}
			l.loop = map[*ssa.BasicBlock]bool{}
			for _, x := range l.fn.Blocks {
				l.loop[x] = l.taken.Has(x.Instrs[0]) || x == l.at.Block()
			}
			w.Pause = l.pause()
			for n, a := range c.Call.Args {
				if n < len(l.fn.Params) && a != l.fn.Params[n] {
					w.Limited = w.Limited || isInteger(a.Type())
				}
				w.Ends = w.Ends || isContext(a.Type()) && !endless(a, 0)
			}
			return w, true
		}
	}
	return Wait{}, false
}

// findLoop collects the blocks from which "no" gets back to the call.
func (l *retry) findLoop() {
	l.loop = map[*ssa.BasicBlock]bool{l.at.Block(): true}
	for changed := true; changed; {
		changed = false
		for _, b := range l.fn.Blocks {
			if l.loop[b] || !l.taken.Has(b.Instrs[0]) {
				continue
			}
			if slices.ContainsFunc(b.Succs, func(s *ssa.BasicBlock) bool { return l.loop[s] }) {
				l.loop[b] = true
				changed = true
			}
		}
	}
}

// each reports whether every try is about something else: the next of several keys.
func (l *retry) each() bool {
	for _, a := range l.at.Common().Args {
		if isString(a.Type()) && l.varies(a, 0, visited{}) {
			return true
		}
	}
	return l.at.Common().IsInvoke() && l.varies(l.at.Common().Value, 0, visited{}) || !l.at.Common().IsInvoke() && len(l.at.Common().Args) > 0 &&
		!isContext(l.at.Common().Args[0].Type()) && l.varies(l.at.Common().Args[0], 0, visited{})
}

// varies reports whether a value is another one in the next round.
func (l *retry) varies(v ssa.Value, depth int, seen visited) bool {
	i, ok := v.(ssa.Instruction)
	if !ok || depth > 8 || seen.before(v, depth) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Phi:
		return l.loop[i.Block()] && changes(v)
	case *ssa.Next:
		return l.loop[i.Block()]
	case *ssa.Alloc:
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == v && l.loop[s.Block()] && l.varies(s.Val, depth+1, seen) {
				return true
			}
			if s, ok := r.(*ssa.Store); ok && s.Addr == v && l.loop[s.Block()] && loads(s.Val, v, 0, visited{}) {
				return true
			}
		}
		return false
	case *ssa.Call:
		if l.loop[i.Block()] && !fixedCall(v) {
			return true
		}
	}
	for _, o := range i.Operands(nil) {
		if *o != nil && l.varies(*o, depth+1, seen) {
			return true
		}
	}
	return false
}

// loads reports whether a value is computed from what the variable held before: d *= 2.
func loads(v ssa.Value, a *ssa.Alloc, depth int, seen visited) bool {
	if u, ok := v.(*ssa.UnOp); ok && u.X == a {
		return true
	}
	i, ok := v.(ssa.Instruction)
	if !ok || depth > 5 || seen.before(v, depth) {
		return false
	}
	for _, o := range i.Operands(nil) {
		if *o != nil && loads(*o, a, depth+1, seen) {
			return true
		}
	}
	return false
}

// changes reports whether a phi has an edge that is computed in the loop.
func changes(p *ssa.Phi) bool {
	for _, e := range p.Edges {
		if _, constant := e.(*ssa.Const); !constant && e != p {
			if i, ok := e.(ssa.Instruction); ok && i.Block() != nil && p.Block().Dominates(i.Block()) {
				return true
			}
		}
	}
	return false
}

// fixedCall reports whether a call gives the same for the same: what makes a key of its parts, and conversions of
// durations.
func fixedCall(c *ssa.Call) bool {
	if isString(c.Type()) {
		return true
	}
	return calleePackage(&c.Call) == "time" || calleePackage(&c.Call) == "context" || isContext(c.Type())
}

// pause is the longest-lived pause between two tries.
func (l *retry) pause() Pause {
	found := NoPause
	for b := range l.loop {
		if !l.loop[b] {
			continue
		}
		for _, i := range b.Instrs {
			if !l.taken.Has(i) {
				continue
			}
			found = max(found, l.pauseOf(i))
		}
	}
	return found
}

// pauseOf is the pause that an instruction makes.
func (l *retry) pauseOf(i ssa.Instruction) Pause {
	switch i := i.(type) {
	case *ssa.Call:
		if i == l.at || calleeName(&i.Call) == "context.WithTimeout" {
			return NoPause
		}
		for _, a := range i.Call.Args {
			if types.TypeString(a.Type(), nil) == "time.Duration" {
				return l.lasting(a)
			}
		}
		if waitsByName(&i.Call) {
			return GrowingPause
		}
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return l.received(i.X)
		}
	case *ssa.Select:
		p := NoPause
		for n, s := range i.States {
			if s.Dir == types.RecvOnly {
				p = max(p, l.received(s.Chan), l.message(i, n))
			}
		}
		return p
	}
	return NoPause
}

// waitsByName reports whether a call may wait in a way of its own: for a message that the lock is free, for a limiter.
func waitsByName(c *ssa.CallCommon) bool {
	name := calleeName(c)
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return slices.ContainsFunc(waitingNames, func(w string) bool { return strings.Contains(name, w) })
}

// pauses reports whether an instruction waits for something.
func pauses(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Select:
		return i.Blocking
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Call:
		return calleeName(&i.Call) == "time.Sleep" || waitsByName(&i.Call)
	}
	return false
}

var waitingNames = []string{"wait", "sleep", "pause", "backoff", "delay", "receive", "block", "blpop", "jitter", "subscribe"}

func (l *retry) lasting(d ssa.Value) Pause {
	if c, ok := d.(*ssa.Const); ok && c.Value != nil {
		return FixedPause
	}
	if l.varies(d, 0, visited{}) {
		return GrowingPause
	}
	return FixedPause
}

// received is the pause of a receive: from a ticker, a timer, time.After. A channel of the program's own is a message.
func (l *retry) received(ch ssa.Value) Pause {
	switch ch := ch.(type) {
	case *ssa.Call:
		switch calleeName(&ch.Call) {
		case "time.After", "time.Tick":
			return l.lasting(ch.Call.Args[0])
		case "(context.Context).Done":
			return NoPause
		}
		return GrowingPause
	case *ssa.UnOp:
		fa, ok := ch.X.(*ssa.FieldAddr)
		if !ok {
			return NoPause
		}
		switch typeName(fa.X.Type()) {
		case "time.Ticker", "time.Timer":
			return l.timer(fa.X)
		}
		return NoPause // a signal to stop
	}
	return NoPause
}

// message reports, as a pause that nobody knows, a case of a select that goes on with the loop when something else than
// a timer speaks: whoever gives the lock back.
func (l *retry) message(s *ssa.Select, n int) Pause {
	if l.channel(s.States[n].Chan) == asksDeadline {
		return NoPause
	}
	for _, r := range *s.Referrers() {
		x, ok := r.(*ssa.Extract)
		if !ok || x.Index != 0 {
			continue
		}
		if next := caseBlock(x, n); next != nil && l.loop[next] {
			return GrowingPause
		}
	}
	return NoPause
}

// caseBlock is where a select goes on in its case n.
func caseBlock(index *ssa.Extract, n int) *ssa.BasicBlock {
	for _, r := range *index.Referrers() {
		b, ok := r.(*ssa.BinOp)
		if !ok || b.Op != token.EQL {
			continue
		}
		if c, ok := b.Y.(*ssa.Const); !ok || c.Value == nil || c.Int64() != int64(n) {
			continue
		}
		for _, rr := range *b.Referrers() {
			if i, ok := rr.(*ssa.If); ok {
				return i.Block().Succs[0]
			}
		}
	}
	return nil
}

// timer is the pause of a timer or ticker: how it was made; how it is set again shows where that is done.
func (l *retry) timer(v ssa.Value) Pause {
	if c, ok := v.(*ssa.Call); ok && len(c.Call.Args) > 0 {
		return l.lasting(c.Call.Args[0])
	}
	return FixedPause
}
