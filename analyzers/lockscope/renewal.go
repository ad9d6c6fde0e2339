package lockscope

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// renewals reports goroutines that extend a lease in a loop which nothing ends when the lock is released.
func (c *checker) renewals() {
	locks := c.lockKeys()
	for _, fn := range c.Res.Functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if g, ok := i.(*ssa.Go); ok {
					c.renewal(fn, g, locks)
				}
			}
		}
	}
}

func (c *checker) renewal(fn *ssa.Function, g *ssa.Go, locks map[string]bool) {
	if !startsOften(c, fn) {
		return
	}
	for _, body := range c.reached(g) {
		if c.acquiresIn(body) {
			continue // who also acquires leads, and does not renew for somebody
		}
		for _, e := range c.Res.Events(body) {
			if !e.Op.Extends() || !c.ofLock(body, &e, locks) || !lockflow.InLoop(e.Instr.Block()) || c.ends(body, &e) {
				continue
			}
			c.Report(judge.Fault{
				Kind: "renewal-leak", Level: finding.Warning, At: c.Res.Site(g), Class: e.Key.Class(),
				Message: "nothing ends this goroutine when the lock is released: it goes on extending the key, which the next holder " +
					"has by then or nobody; derive a context for it and cancel that before the release",
				Related: []finding.Related{judge.Related(c.Res.Site(e.Instr), "extended here")},
			})
			return
		}
	}
}

func (c *checker) acquiresIn(fn *ssa.Function) bool {
	for _, e := range c.Res.Events(fn) {
		if e.Op.Acquires() {
			return true
		}
	}
	return false
}

// startsOften reports whether a function is one that runs for every lock: it acquires, or has a lock handed in, and is
// not what sets a process up.
func startsOften(c *checker, fn *ssa.Function) bool {
	for _, e := range c.Res.Events(fn) {
		if e.Op.Acquires() && !e.Async {
			return true
		}
	}
	for f := fn; f != nil; f = f.Parent() {
		for _, site := range c.Res.Callers(f) {
			for _, e := range c.Res.Events(site.Parent()) {
				if e.Op.Acquires() && (leadsTo(e.Instr, site) || e.Instr == site) {
					return true
				}
			}
		}
	}
	return false
}

// ends reports whether something ends the loop that extends: a channel that somebody closes or sends to, a context that
// is cancelled for it, a failure to extend, anything that is not understood.
func (c *checker) ends(body *ssa.Function, e *lockfacts.Event) bool {
	loop := loopOf(e.Instr.Block())
	for _, b := range body.Blocks { // in the order of the program, so that the same is found each time
		if !loop[b] {
			continue
		}
		for side, s := range b.Succs {
			if loop[s] {
				continue
			}
			if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); !ok || c.exit(body, i, side) {
				return true
			}
		}
		last := b.Instrs[len(b.Instrs)-1]
		if _, ok := last.(*ssa.Return); ok {
			return true
		}
	}
	return false
}

// loopOf are the blocks of the loops around a block.
func loopOf(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	out := map[*ssa.BasicBlock]bool{}
	for _, x := range b.Parent().Blocks {
		if x == b || lockflow.CanReach(b, x) && lockflow.CanReach(x, b) {
			out[x] = true
		}
	}
	return out
}

// exit reports whether a way out of the loop is one that is taken when the lock is released.
func (c *checker) exit(body *ssa.Function, i *ssa.If, side int) bool {
	channels, ok := received(i, side)
	if !ok {
		return true // a failure, a flag
	}
	for _, ch := range channels {
		if c.delivers(body, ch) {
			return true
		}
	}
	return false
}

// delivers reports whether a channel tells the loop that the lock is released, or whether that is not known.
func (c *checker) delivers(body *ssa.Function, ch ssa.Value) bool {
	if tickers(ch) {
		return false
	}
	call, ok := ch.(*ssa.Call)
	switch {
	case !ok:
		return c.closed(ch)
	case call.Call.IsInvoke() && call.Call.Method.FullName() == "(context.Context).Done":
		return c.endable(c.Res.Term(body, call.Call.Value), 0)
	}
	return true
}

// received are the channels of which one has delivered when a branch takes a side: the case of a select, the cases behind
// it, or the end of a loop over a channel.
func received(i *ssa.If, side int) (channels []ssa.Value, ok bool) {
	switch cond := i.Cond.(type) {
	case *ssa.BinOp: // the index of a select's case
		x, isExtract := cond.X.(*ssa.Extract)
		k, isConst := cond.Y.(*ssa.Const)
		if !isExtract || !isConst || cond.Op != token.EQL {
			return nil, false
		}
		s, isSelect := x.Tuple.(*ssa.Select)
		if !isSelect || x.Index != 0 || k.Int64() < 0 || int(k.Int64()) >= len(s.States) {
			return nil, false
		}
		states := s.States[k.Int64() : k.Int64()+1]
		if side == 1 {
			states = s.States[k.Int64()+1:]
		}
		for _, st := range states {
			channels = append(channels, st.Chan)
		}
		return channels, true
	case *ssa.Extract: // v, ok := <-ch
		if u, isRecv := cond.Tuple.(*ssa.UnOp); isRecv && u.Op == token.ARROW && cond.Index == 1 {
			return []ssa.Value{u.X}, true
		}
	}
	return nil, false
}

// endable reports whether a context has a cancel or deadline of its own, and is no more than that of somebody who lives on
// when the lock is released; or whether that is not known.
func (c *checker) endable(t keyterm.Term, depth int) bool {
	t = t.Strip()
	if depth > 8 {
		return true
	}
	switch t.Op {
	case keyterm.Const:
		return false
	case keyterm.Call:
		switch t.Text {
		case "context.Background", "context.TODO":
			return false
		case "context.WithValue", "context.WithoutCancel":
			return t.Text == "context.WithValue" && c.endable(t.Args[0], depth+1)
		}
		return true
	case keyterm.Param:
		return c.parameterEndable(t, depth)
	}
	return true
}

// parameterEndable looks at what callers hand in. A parameter that nobody in sight hands in is the caller's context: it
// ends some time, and not with the lock.
func (c *checker) parameterEndable(p keyterm.Term, depth int) bool {
	name := keyterm.ParamName(p.Text, p.Index)
	if known, ok := c.endables[name]; ok {
		return known
	}
	c.endables[name] = true // a cycle is not known
	end := c.handsEndable(p, depth)
	c.endables[name] = end
	return end
}

func (c *checker) handsEndable(p keyterm.Term, depth int) bool {
	fn := c.Res.Function(p.Text)
	if fn == nil {
		return true
	}
	callers := c.Res.Callers(fn)
	if len(callers) == 0 {
		return c.Res.Ends(p).How != lockfacts.Caller
	}
	for _, site := range callers {
		args := site.Common().Args
		n := p.Index - (len(fn.Params) - len(args))
		if n < 0 || n >= len(args) || c.endable(c.Res.Term(site.Parent(), args[n]), depth+1) {
			return true
		}
	}
	return false
}

// closed reports whether somebody closes a channel or sends to it, or whether that is not known: a field counts as closed
// where some function of the package closes one of the name.
func (c *checker) closed(ch ssa.Value) bool {
	o := origin(ch, 0)
	field := fieldOf(ch)
	made, local := o.(*ssa.MakeChan)
	if !local && field == "" || local && escapes(made, map[ssa.Value]bool{}) || exportedField(field) {
		return true
	}
	for _, fn := range c.Res.Functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if x := endsChannel(i); x != nil && (origin(x, 0) == o || field != "" && fieldOf(x) == field) {
					return true
				}
			}
		}
	}
	return false
}

// exportedField reports whether another package may close the channel of a field, as named by fieldOf.
func exportedField(field string) bool {
	return token.IsExported(field[strings.LastIndexByte(field, '.')+1:])
}

// escapes reports whether somebody else gets hold of a channel who may close it: it is returned, handed on, or kept
// anywhere but in a local variable.
func escapes(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Select, *ssa.Send:
		case *ssa.Store:
			a, local := r.Addr.(*ssa.Alloc)
			if r.Addr != v && (!local || escapes(a, seen)) {
				return true
			}
		case *ssa.UnOp:
			if r.Op == token.MUL && escapes(r, seen) {
				return true
			}
		case *ssa.ChangeType:
			if escapes(r, seen) {
				return true
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for i, bound := range r.Bindings {
				if bound == v && (i >= len(fn.FreeVars) || escapes(fn.FreeVars[i], seen)) {
					return true
				}
			}
		case ssa.CallInstruction:
			if !closes(r.Common()) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// tickers reports whether a channel is that of a ticker or timer, which nobody closes.
func tickers(v ssa.Value) bool {
	t, ok := v.Type().Underlying().(*types.Chan)
	if !ok {
		if p, isPtr := v.Type().Underlying().(*types.Pointer); isPtr {
			t, ok = p.Elem().Underlying().(*types.Chan)
		}
	}
	return ok && t.Elem().String() == "time.Time"
}

// endsChannel is the channel that an instruction closes or sends to, or nil.
func endsChannel(i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.Send:
		return i.Chan
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.SendOnly {
				return s.Chan
			}
		}
	case ssa.CallInstruction:
		if closes(i.Common()) {
			return i.Common().Args[0]
		}
	}
	return nil
}

// fieldOf names the field that a channel is read from, or "".
func fieldOf(v ssa.Value) string {
	for range 4 {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.FieldAddr:
			owner, field := lockfacts.FieldOf(x)
			return owner + "." + field
		default:
			return ""
		}
	}
	return ""
}
