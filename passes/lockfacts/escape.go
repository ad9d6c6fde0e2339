package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// resultEscapes reports whether what the acquire says goes somewhere that is not followed: into a field, a channel, a
// function of the program. Somebody may look at it there.
func (t *trial) resultEscapes() bool {
	return t.escape(func(typ types.Type) bool { return lockflow.IsError(typ) || isBool(typ) })
}

// errorEscapes is resultEscapes for the error alone: it is what tells an outage from contention.
func (t *trial) errorEscapes() bool { return t.escape(lockflow.IsError) }

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

func (t *trial) escape(tells func(types.Type) bool) bool {
	f := &flight{u: t.u, tells: tells, seen: map[ssa.Value]bool{}}
	return f.roots(t.e.Instr.Value(), 0)
}

// flight follows values forward.
type flight struct {
	u     *unit
	tells func(types.Type) bool
	seen  map[ssa.Value]bool
}

// roots follows the results of a call, through command objects too.
func (f *flight) roots(call *ssa.Call, depth int) bool {
	if call == nil || depth > 2 {
		return false
	}
	if f.tells(call.Type()) && f.from(call) {
		return true
	}
	for _, r := range *call.Referrers() {
		switch r := r.(type) {
		case *ssa.Extract:
			if f.tells(r.Type()) && f.from(r) {
				return true
			}
		case *ssa.Call:
			if accessor(r) && f.roots(r, depth+1) {
				return true
			}
		}
	}
	return false
}

// from reports whether a value gets away.
func (f *flight) from(v ssa.Value) bool {
	if f.seen[v] || v.Referrers() == nil || len(f.seen) > maxDepends {
		return false
	}
	f.seen[v] = true
	for _, r := range *v.Referrers() {
		if f.uses(v, r) {
			return true
		}
	}
	return false
}

func (f *flight) uses(v ssa.Value, r ssa.Instruction) bool {
	switch r := r.(type) {
	case *ssa.Store:
		return r.Val == v && f.stored(r.Addr)
	case *ssa.Send, *ssa.MapUpdate:
		return true
	case *ssa.Phi, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Slice:
		return f.from(r.(ssa.Value))
	case *ssa.UnOp:
		return f.from(r)
	case *ssa.MakeClosure:
		return !deferredOnly(r)
	case *ssa.Call:
		return f.passed(r)
	case *ssa.Go, *ssa.Defer:
		return !logs(r.(ssa.CallInstruction).Common())
	}
	return false
}

// stored follows a store.
func (f *flight) stored(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return f.from(a)
	case *ssa.IndexAddr:
		if list, ok := a.X.(*ssa.Alloc); ok {
			return f.from(list)
		}
	}
	return true
}

// passed reports whether a call may look at what it is given.
func (f *flight) passed(c *ssa.Call) bool {
	if logs(&c.Call) || asksError(c) || accessor(c) {
		return false
	}
	if _, ok := c.Call.Value.(*ssa.Builtin); ok {
		return false
	}
	switch name := calleeName(&c.Call); {
	case textErrors[name], makesText(c), reads(c):
		return f.from(c)
	case len(wrapped(c)) > 0:
		return f.from(c)
	case name == "(error).Error":
		return false
	}
	if readingPackages[calleePackage(&c.Call)] {
		return false
	}
	if fn := c.Call.StaticCallee(); fn != nil {
		if t := f.u.target(fn); len(t.Blocks) > 0 && len(t.Blocks) <= maxInlinedBlocks && len(t.Params) == len(c.Call.Args) {
			return f.handed(c, t) || f.from(c)
		}
		if s := f.u.summaryOf(f.u.target(fn)); s != nil && s.ErrorUse.says() {
			return f.from(c)
		}
	}
	return true
}

// readingPackages only look at what they are given.
var readingPackages = map[string]bool{"errors": true, "fmt": true, "strings": true, "strconv": true, "github.com/pkg/errors": true}

// handed follows what a small function of the package is given.
func (f *flight) handed(c *ssa.Call, fn *ssa.Function) bool {
	for i, a := range c.Call.Args {
		if f.seen[a] && f.from(fn.Params[i]) {
			return true
		}
	}
	return false
}

// deferredOnly reports whether a closure is made for a defer.
func deferredOnly(m *ssa.MakeClosure) bool {
	for _, r := range *m.Referrers() {
		if _, ok := r.(*ssa.Defer); !ok {
			return false
		}
	}
	return true
}

// reads reports whether a call takes a reply and an error and makes a value and an error of them.
func reads(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	if fn == nil {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	return clientmodel.Reader(obj)
}
