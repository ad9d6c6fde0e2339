package lockttl

import (
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// deadline is when a context ends, as far as its derivation is seen.
type deadline struct {
	duration time.Duration // the shortest timeout on the way, 0 for none
	at       *ssa.Call     // the call that set it
	detached bool          // it does not end with the context that the function was given
}

// within is the deadline, or an earlier one of the context that the function was given.
func (d deadline) within(given time.Duration) time.Duration {
	if !d.detached && given > 0 && given < d.duration {
		return given
	}
	return d.duration
}

const maxDerivations = 10

// context follows a context to where it comes from.
func (b *bounds) context(v ssa.Value, env keyterm.Env, depth int) deadline {
	if depth > maxDerivations {
		return deadline{}
	}
	switch v := v.(type) {
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok && v.Index == 0 {
			return b.derived(c, env, depth)
		}
	case *ssa.Call:
		return b.derived(v, env, depth)
	case *ssa.FreeVar:
		if bound := lockflow.Binding(v); bound != nil {
			return b.context(bound, env, depth+1)
		}
	case *ssa.Alloc:
		return b.stored(v, env, depth)
	case *ssa.UnOp:
		return b.context(v.X, env, depth+1)
	}
	return deadline{}
}

// stored is a context variable that closures capture: bounded if its last value is. The parameter that it holds at first
// does not count.
func (b *bounds) stored(a *ssa.Alloc, env keyterm.Env, depth int) deadline {
	var last *ssa.Store
	for _, r := range *a.Referrers() {
		s, ok := r.(*ssa.Store)
		if !ok || s.Addr != a {
			continue
		}
		if _, param := s.Val.(*ssa.Parameter); param {
			continue
		}
		if last != nil {
			return deadline{}
		}
		last = s
	}
	if last == nil {
		return deadline{}
	}
	return b.context(last.Val, env, depth+1)
}

// derived is the context that a function of package context makes.
func (b *bounds) derived(c *ssa.Call, env keyterm.Env, depth int) deadline {
	fn := c.Call.StaticCallee()
	if fn == nil {
		return deadline{}
	}
	switch fn.String() {
	case "context.WithTimeout", "context.WithTimeoutCause":
		return b.timeout(c, b.context(c.Call.Args[0], env, depth+1), env)
	case "context.WithCancel", "context.WithCancelCause", "context.WithValue":
		return b.context(c.Call.Args[0], env, depth+1)
	case "context.WithoutCancel", "context.Background", "context.TODO":
		return deadline{detached: true}
	}
	return deadline{}
}

// timeout is a timeout under an outer deadline. One that is not known may be the shorter one: then there is none to
// show.
func (b *bounds) timeout(c *ssa.Call, outer deadline, env keyterm.Env) deadline {
	d := b.duration(c, 1, env)
	switch {
	case d == 0:
		return deadline{detached: outer.detached}
	case outer.at != nil && outer.duration < d:
		return outer
	}
	return deadline{duration: d, at: c, detached: outer.detached}
}
