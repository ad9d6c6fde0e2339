package lockttl

import (
	"fmt"
	"go/constant"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// short reports a lease that a visible bound of the work exceeds: a timeout of the context that calls in the section
// run on, the timeout of an HTTP client, a sleep. Work without a visible bound is not judged.
func short(r *judge.Reporter, l *lockfacts.Lock) {
	e := &l.Acquire
	d, ok := judge.Duration(r.Res.Resolve(e.TTL), e.Unit)
	if !ok || d < shortest || len(l.Extends) > 0 || renewed(r, e) {
		return
	}
	b := (&bounds{r: r, lock: l, ttl: d}).longest()
	if b.duration <= d {
		return
	}
	r.Report(judge.Fault{Kind: "short-ttl", Level: finding.Warning, At: where(e), Class: e.Key.Class(), Path: flow(e),
		Related: []finding.Related{judge.Related(b.at, "%s, here", b.what)},
		Message: fmt.Sprintf("the lease is %s but the work may run %s (%s at %s): after the lease somebody else works too; renew the lease "+
			"and stop when that fails, or bound the work below it", d, b.duration, b.what, judge.Brief(b.at))})
}

// bound is how long some work may take, and what says so.
type bound struct {
	duration time.Duration
	what     string
	at       lockfacts.Site
}

type bounds struct {
	r    *judge.Reporter
	lock *lockfacts.Lock
	ttl  time.Duration
	best bound
}

// longest is the longest visible bound of a call in the section.
func (b *bounds) longest() bound {
	b.lock.Section.Each(b.lock.Fn, func(i ssa.Instruction) {
		switch c := i.(type) {
		case *ssa.Call:
			if b.lock.Covers(i) {
				b.call(c, 0)
			}
		case *ssa.Go: // work that the lock is handed over to
			b.inside(c.Call.StaticCallee(), 1)
		}
	})
	return b.best
}

// call notes the bounds of one call, and of what it calls in the same package.
func (b *bounds) call(c *ssa.Call, depth int) {
	callee := c.Call.StaticCallee()
	if callee != nil && callee.String() == "time.Sleep" {
		b.note(constDuration(c.Call.Args[0]), "a sleep", c)
		return
	}
	if isContextFunc(callee) || isLockCall(b.r, c) {
		return
	}
	for _, a := range c.Call.Args {
		if d, at := contextBound(a, 0); at != nil {
			b.note(d, "a context timeout", at)
		}
	}
	b.httpClient(c)
	b.inside(callee, depth+1)
}

// inside looks into a called function of the same package.
func (b *bounds) inside(fn *ssa.Function, depth int) {
	if fn == nil || fn.Pkg != b.lock.Fn.Pkg || depth > 2 {
		return
	}
	for _, block := range fn.Blocks {
		for _, i := range block.Instrs {
			if c, ok := i.(*ssa.Call); ok {
				b.call(c, depth)
			}
		}
	}
}

func (b *bounds) note(d time.Duration, what string, i ssa.Instruction) {
	if d > b.best.duration {
		b.best = bound{d, what, lockfacts.Site{Pos: b.r.Res.Pos(i), Function: i.Parent().String(), Package: b.r.Pass.Pkg.Path()}}
	}
}

// httpClient notes the timeout of the client that a request goes through, unless the request's context ends earlier.
func (b *bounds) httpClient(c *ssa.Call) {
	callee := c.Call.StaticCallee()
	if callee == nil || !strings.HasPrefix(callee.String(), "(*net/http.Client).") || len(c.Call.Args) == 0 {
		return
	}
	client := b.r.Res.Resolve(b.r.Res.Term(c.Parent(), c.Call.Args[0]))
	t := keyterm.Term{Op: keyterm.Field, Text: "Timeout", Args: []keyterm.Term{client}}.Norm()
	d, ok := judge.Duration(b.r.Res.Resolve(t), clientmodel.Duration)
	if ok && !requestBounded(c.Parent(), b.ttl) {
		b.note(d, "the HTTP client's timeout", c)
	}
}

// requestBounded reports whether the function makes a request on a context that ends within the lease.
func requestBounded(fn *ssa.Function, ttl time.Duration) bool {
	for _, block := range fn.Blocks {
		for _, i := range block.Instrs {
			c, ok := i.(*ssa.Call)
			if !ok || c.Call.StaticCallee() == nil || c.Call.StaticCallee().String() != "net/http.NewRequestWithContext" {
				continue
			}
			if d, at := contextBound(c.Call.Args[0], 0); at != nil && d <= ttl {
				return true
			}
		}
	}
	return false
}

func isContextFunc(fn *ssa.Function) bool {
	return fn != nil && strings.HasPrefix(fn.String(), "context.")
}

// isLockCall reports whether the call itself acquires, releases or extends something.
func isLockCall(r *judge.Reporter, c *ssa.Call) bool {
	for _, e := range r.Res.Events(c.Parent()) {
		if e.Instr == c && (e.Op.Acquires() || e.Op.Releases() || e.Op.Extends()) {
			return true
		}
	}
	return false
}

// contextBound is the shortest timeout that a context was given inside the function, and the call that gave it.
func contextBound(v ssa.Value, depth int) (time.Duration, *ssa.Call) {
	if depth > 8 {
		return 0, nil
	}
	switch v := v.(type) {
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok && v.Index == 0 {
			return derivedContext(c, depth)
		}
	case *ssa.Call:
		return derivedContext(v, depth)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			return storedContext(a, depth)
		}
	}
	return 0, nil
}

// storedContext is a context variable that closures capture: bounded if its last value is.
func storedContext(a *ssa.Alloc, depth int) (time.Duration, *ssa.Call) {
	var last *ssa.Store
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a {
			if _, param := s.Val.(*ssa.Parameter); param {
				continue
			}
			if last != nil {
				return 0, nil
			}
			last = s
		}
	}
	if last == nil {
		return 0, nil
	}
	return contextBound(last.Val, depth+1)
}

func derivedContext(c *ssa.Call, depth int) (time.Duration, *ssa.Call) {
	fn := c.Call.StaticCallee()
	if fn == nil || len(c.Call.Args) == 0 {
		return 0, nil
	}
	switch fn.String() {
	case "context.WithTimeout", "context.WithTimeoutCause":
		d := constDuration(c.Call.Args[1])
		outer, at := contextBound(c.Call.Args[0], depth+1)
		switch {
		case d == 0:
			return outer, nil // a bound that is not known may be the shorter one
		case at != nil && outer < d:
			return outer, at
		}
		return d, c
	case "context.WithCancel", "context.WithCancelCause", "context.WithValue":
		return contextBound(c.Call.Args[0], depth+1)
	}
	return 0, nil
}

func constDuration(v ssa.Value) time.Duration {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0
	}
	n, exact := constant.Int64Val(c.Value)
	if !exact {
		return 0
	}
	return time.Duration(n)
}
