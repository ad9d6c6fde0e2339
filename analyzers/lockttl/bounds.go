package lockttl

import (
	"go/token"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// maxDepth bounds how deep into called functions of the package bounds are looked for.
const maxDepth = 3

// bounds looks for the longest bound of the work in a section. Function values and arguments are followed into the
// functions of the package, so that a client or a context that is handed down is known there.
type bounds struct {
	*checker
	best bound
	seen map[*ssa.Function]bool // being looked into
}

// section looks at every call that runs while the lock is held, and at the goroutine that the lock is handed over to.
func (b *bounds) section(l *lockfacts.Lock) {
	l.Section.Each(l.Fn, func(i ssa.Instruction) {
		if g, ok := i.(*ssa.Go); ok && releasedBy(l, g) {
			b.callee(g, nil, 0, 0)
		}
		if l.Covers(i) {
			b.instruction(i, nil, 0, 0)
		}
	})
}

func releasedBy(l *lockfacts.Lock, g *ssa.Go) bool {
	for _, r := range l.Releases {
		if r.Instr == ssa.CallInstruction(g) {
			return true
		}
	}
	return false
}

// body looks at a whole function. limit is when the context that it was given ends, 0 for unknown.
func (b *bounds) body(fn *ssa.Function, env keyterm.Env, limit time.Duration, depth int) {
	if fn == nil || fn.Pkg != nil && fn.Pkg.Pkg != b.Pass.Pkg || b.seen[fn] || depth > maxDepth {
		return
	}
	b.seen[fn] = true
	defer delete(b.seen, fn)
	for _, block := range fn.Blocks {
		for _, i := range block.Instrs {
			b.instruction(i, env, limit, depth)
		}
	}
}

func (b *bounds) instruction(i ssa.Instruction, env keyterm.Env, limit time.Duration, depth int) {
	switch i := i.(type) {
	case *ssa.Call:
		b.call(i, env, limit, depth)
	case *ssa.Select:
		b.selects(i, env)
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			b.note(b.timer(i.X, env), "a timer", i)
		}
	}
}

// call notes the bounds of one call, and of what it calls in the same package.
func (b *bounds) call(c *ssa.Call, env keyterm.Env, limit time.Duration, depth int) {
	callee := c.Call.StaticCallee()
	switch {
	case callee != nil && callee.String() == "time.Sleep":
		b.note(b.duration(c, 0, env), "a sleep", c)
		return
	case isContextFunc(callee), b.isLockCall(c):
		return
	}
	for _, a := range c.Call.Args {
		x := b.context(a, env, 0)
		d := x.within(limit)
		if x.at == nil || d == 0 {
			continue
		}
		b.note(d, "a context timeout", x.at)
		limit = d
	}
	b.httpClient(c, env, limit)
	b.callee(c, env, limit, depth)
}

// callee looks into the functions of the package that a call reaches: by name, as a function value, or as what a helper
// of another package runs.
func (b *bounds) callee(c ssa.CallInstruction, env keyterm.Env, limit time.Duration, depth int) {
	for _, t := range b.Res.CalledWith(c, env) {
		b.body(t.Fn, t.Env, limit, depth+1)
	}
}

func (b *bounds) note(d time.Duration, what string, i ssa.Instruction) {
	if d > b.best.duration {
		b.best = bound{d, what, b.Res.Site(i)}
	}
}

// argument is what a call is given, with what is known of the arguments of the function that it stands in.
func (b *bounds) argument(c *ssa.Call, i int, env keyterm.Env) keyterm.Term {
	return b.fixed(b.Res.Term(c.Parent(), c.Call.Args[i]).Subst(env))
}

// duration is a fixed duration that a call is given, or 0.
func (b *bounds) duration(c *ssa.Call, i int, env keyterm.Env) time.Duration {
	d, ok := judge.Duration(b.argument(c, i, env), clientmodel.Duration)
	if !ok {
		return 0
	}
	return d
}

// timer is when a channel that is received from delivers: time.After, or the channel of a timer.
func (b *bounds) timer(ch ssa.Value, env keyterm.Env) time.Duration {
	c, ok := ch.(*ssa.Call)
	if load, isLoad := ch.(*ssa.UnOp); isLoad {
		if field, isField := load.X.(*ssa.FieldAddr); isField {
			c, ok = field.X.(*ssa.Call)
		}
	}
	if !ok || c.Call.StaticCallee() == nil {
		return 0
	}
	switch c.Call.StaticCallee().String() {
	case "time.After", "time.NewTimer":
		return b.duration(c, 0, env)
	}
	return 0
}

// selects notes how long a select waits at most: until its timer, or until the context that it also watches ends.
func (b *bounds) selects(s *ssa.Select, env keyterm.Env) {
	if !s.Blocking {
		return
	}
	wait := time.Duration(0)
	for _, st := range s.States {
		d := b.timer(st.Chan, env)
		if done, ok := st.Chan.(*ssa.Call); ok && done.Call.IsInvoke() && done.Call.Method.Name() == "Done" {
			d = b.context(done.Call.Value, env, 0).duration
		}
		if d > 0 && (wait == 0 || d < wait) {
			wait = d
		}
	}
	b.note(wait, "a timer", s)
}

// httpClient notes the timeout of the client that a request goes through, unless the request's context ends earlier.
func (b *bounds) httpClient(c *ssa.Call, env keyterm.Env, limit time.Duration) {
	callee := c.Call.StaticCallee()
	if callee == nil || !strings.HasPrefix(callee.String(), "(*net/http.Client).") || len(c.Call.Args) == 0 {
		return
	}
	client := b.argument(c, 0, env)
	t := keyterm.Term{Op: keyterm.Field, Text: "Timeout", Args: []keyterm.Term{client}}.Norm()
	d, ok := judge.Duration(b.fixed(t), clientmodel.Duration)
	if !ok || d == 0 {
		return
	}
	for _, l := range []time.Duration{limit, b.requestLimit(c.Parent(), env)} {
		if l > 0 && l < d {
			d = l
		}
	}
	b.note(d, "the HTTP client's timeout", c)
}

// requestLimit is when the context of a request that the function makes ends, 0 for unknown.
func (b *bounds) requestLimit(fn *ssa.Function, env keyterm.Env) time.Duration {
	for _, block := range fn.Blocks {
		for _, i := range block.Instrs {
			c, ok := i.(*ssa.Call)
			if !ok || c.Call.StaticCallee() == nil || c.Call.StaticCallee().String() != "net/http.NewRequestWithContext" {
				continue
			}
			if x := b.context(c.Call.Args[0], env, 0); x.at != nil {
				return x.duration
			}
		}
	}
	return 0
}

func isContextFunc(fn *ssa.Function) bool {
	return fn != nil && strings.HasPrefix(fn.String(), "context.")
}

// isLockCall reports whether the call itself acquires, releases or extends something.
func (b *bounds) isLockCall(c *ssa.Call) bool {
	for _, e := range b.Res.Events(c.Parent()) {
		if e.Instr == ssa.CallInstruction(c) && (e.Op.Acquires() || e.Op.Releases() || e.Op.Extends()) {
			return true
		}
	}
	return false
}
