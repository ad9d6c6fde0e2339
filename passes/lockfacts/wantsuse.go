package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

// wantsUse looks at what becomes of an acquire in packages that have nothing to do with a lock themselves: a helper that
// runs the attempt until it says yes, and functions that are asked about its error.
func (u *unit) wantsUse(found map[string]bool) {
	for fn, a := range u.activities {
		acquires := false
		for i := range a.events {
			e := &a.events[i]
			if !e.Op.Acquires() {
				continue
			}
			acquires = true
			if e.Maybe {
				u.wantCallee(e.Instr.Common(), found)
			}
		}
		if !acquires {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(*ssa.Call); ok && takesError(&c.Call) {
					u.wantCallee(&c.Call, found)
				}
			}
		}
	}
}

// wantCallee wants the package of a function that has no body here.
func (u *unit) wantCallee(c *ssa.CallCommon, found map[string]bool) {
	fn := c.StaticCallee()
	if fn == nil {
		return
	}
	obj, ok := u.target(fn).Object().(*types.Func)
	if ok && obj.Pkg() != nil && u.wanted(obj.Pkg().Path()) {
		found[obj.Pkg().Path()] = true
	}
}

func takesError(c *ssa.CallCommon) bool {
	for _, a := range c.Args {
		if lockflow.IsError(a.Type()) {
			return true
		}
	}
	return false
}
