package lockscope

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

const maxReaction = 2

// reaction reports whether an instruction does something about a failure, other than to write it down.
func (c *checker) reaction(i ssa.Instruction, depth int) bool {
	switch i := i.(type) {
	case *ssa.Panic, *ssa.Send, *ssa.MapUpdate:
		return true
	case *ssa.Select:
		return endsChannel(i) != nil
	case *ssa.Store:
		switch a := i.Addr.(type) {
		case *ssa.FieldAddr:
			_, local := a.X.(*ssa.Alloc) // an error that is put together
			return !local
		case *ssa.Global, *ssa.FreeVar:
			return true
		}
	case *ssa.RunDefers:
		return depth == 0 && c.defersReact(i.Parent())
	case *ssa.Call:
		return c.callReacts(i, depth)
	}
	return false
}

// endsBadly reports whether a function tells its caller that something failed, or hands on what is not known.
func endsBadly(fn *ssa.Function, reach *lockflow.Reach) bool {
	results := fn.Signature.Results()
	for i, a := range reach.Results {
		if lockflow.IsError(results.At(i).Type()) && a != clientmodel.Nil || !lockflow.IsError(results.At(i).Type()) && a != clientmodel.True {
			return true
		}
	}
	return false
}

// endsForCaller reports whether a function without results is called, and not only started: what its callers do when it
// ends is theirs.
func (c *checker) endsForCaller(fn *ssa.Function) bool {
	if fn.Signature.Results().Len() > 0 {
		return false
	}
	for _, site := range c.Res.Callers(fn) {
		if _, starts := site.(*ssa.Go); !starts {
			return true
		}
	}
	return false
}

// defersReact reports whether the function has deferred something by which others learn that it ended.
func (c *checker) defersReact(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			d, ok := i.(*ssa.Defer)
			if !ok {
				continue
			}
			if closes(&d.Call) || cancelType(d.Call.Value.Type()) || c.inside(d.Call.StaticCallee(), maxReaction-1) {
				return true
			}
		}
	}
	return false
}

// callReacts reports whether a call does: it cancels, closes a channel, ends the process, runs a callback, sets an atomic.
func (c *checker) callReacts(call *ssa.Call, depth int) bool {
	common := &call.Call
	if closes(common) || cancelType(common.Value.Type()) {
		return true
	}
	if _, builtin := common.Value.(*ssa.Builtin); builtin || common.IsInvoke() {
		return false
	}
	fn := common.StaticCallee()
	if fn == nil {
		return true // a callback
	}
	if fn.Pkg != nil && fn.Pkg.Pkg.Path() == "sync/atomic" && fn.Name() != "Load" || c.Res.EndsProcess(call) {
		return true
	}
	for _, e := range c.Res.Events(call.Parent()) {
		if e.Instr == ssa.CallInstruction(call) && e.Op.Releases() {
			return true
		}
	}
	return depth < maxReaction && c.inside(fn, depth+1)
}

// inside reports whether a function of the package reacts.
func (c *checker) inside(fn *ssa.Function, depth int) bool {
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg != c.Pass.Pkg && fn.Parent() == nil {
		return false
	}
	key := atDepth{fn, depth}
	known, ok := c.reacting[key]
	if !ok {
		c.reacting[key] = false
		known = c.anyReaction(fn, depth)
		c.reacting[key] = known
	}
	return known
}

func (c *checker) anyReaction(fn *ssa.Function, depth int) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c.reaction(i, depth) {
				return true
			}
		}
	}
	return false
}

func closes(c *ssa.CallCommon) bool {
	b, ok := c.Value.(*ssa.Builtin)
	return ok && b.Name() == "close"
}

func cancelType(t types.Type) bool {
	switch t.String() {
	case "context.CancelFunc", "context.CancelCauseFunc":
		return true
	}
	return false
}
