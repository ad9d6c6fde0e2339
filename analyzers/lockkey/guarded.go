package lockkey

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// checked reports whether somebody looks at a value before it becomes part of the key: a comparison, or a call that
// takes it and whose bool or error is looked at. It is generous: any look will do, in any function that the value
// passes through, as long as it is not certain to come after the acquire.
func (c *checker) checked(u use, p part, r read) bool {
	names := append([]string{r.at.Function, u.fn.String()}, p.through...)
	seen := map[*ssa.Function]bool{}
	for _, name := range names {
		for fn := c.fns[name]; fn != nil && !seen[fn]; fn = fn.Parent() {
			seen[fn] = true
			if c.looksAt(fn, r.term, u.ev.Instr, 0) {
				return true
			}
		}
	}
	return false
}

// looksAt reports whether fn looks at a value. The acquire is the call that the look has to come before, if it is in fn.
func (c *checker) looksAt(fn *ssa.Function, value keyterm.Term, acquire ssa.CallInstruction, depth int) bool {
	found := false
	c.each(fn, func(i ssa.Instruction) {
		if found || after(i, acquire) {
			return
		}
		switch i := i.(type) {
		case *ssa.BinOp:
			found = compares(i.Op) && (c.isOf(fn, i.X, value) || c.isOf(fn, i.Y, value))
		case *ssa.Lookup:
			found = i.CommaOk && usesResult(i, 1) && c.isOf(fn, i.Index, value)
		case ssa.CallInstruction:
			found = c.callLooksAt(fn, i, value, acquire, depth)
		}
	})
	return found
}

// after reports whether an instruction only runs after the acquire.
func after(i ssa.Instruction, acquire ssa.CallInstruction) bool {
	return acquire != nil && i != acquire && i.Parent() == acquire.Parent() && i.Block() != acquire.Block() &&
		acquire.Block().Dominates(i.Block())
}

func compares(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// isOf reports whether a value of fn, or what it is the length of, comes from what was read.
func (c *checker) isOf(fn *ssa.Function, v ssa.Value, value keyterm.Term) bool {
	if call, ok := v.(*ssa.Call); ok {
		if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			v = call.Call.Args[0]
		}
	}
	return comesFrom(c.Res.Term(fn, v), value)
}

// maxLook is how deep called functions are searched for a look at their parameters.
const maxLook = 3

func (c *checker) callLooksAt(fn *ssa.Function, call ssa.CallInstruction, value keyterm.Term, acquire ssa.CallInstruction, depth int) bool {
	common := call.Common()
	for i, a := range common.Args {
		if !c.isOf(fn, a, value) {
			continue
		}
		if call != acquire && validates(call) && !logs(callee(common)) && !c.acquires(fn, call) {
			return true
		}
		if depth < maxLook && c.calleeLooksAt(call, i, depth+1) {
			return true
		}
	}
	return false
}

// acquires reports whether a call takes the lock, itself or in what it calls: whether it was taken says nothing of the
// key.
func (c *checker) acquires(fn *ssa.Function, call ssa.CallInstruction) bool {
	for _, e := range c.Res.Events(fn) {
		if e.Instr == call && e.Op.Acquires() {
			return true
		}
	}
	return false
}

// calleeLooksAt reports whether a called function of this package looks at its argument i.
func (c *checker) calleeLooksAt(call ssa.CallInstruction, i, depth int) bool {
	if call.Common().IsInvoke() {
		i++
	}
	for _, fn := range c.Res.Callees(call) {
		if c.fns[fn.String()] == nil || i >= len(fn.Params) {
			continue
		}
		if c.looksAt(fn, c.Res.Term(fn, fn.Params[i]), nil, depth) {
			return true
		}
	}
	return false
}

// validates reports whether a call has a bool or an error as a result that the program looks at.
func validates(call ssa.CallInstruction) bool {
	v := call.Value()
	if v == nil {
		return false
	}
	results := call.Common().Signature().Results()
	for i := range results.Len() {
		if !verdict(results.At(i).Type()) {
			continue
		}
		if results.Len() == 1 {
			return len(*v.Referrers()) > 0
		}
		if usesResult(v, i) {
			return true
		}
	}
	return false
}

func verdict(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0 || types.Identical(t, types.Universe.Lookup("error").Type())
}

// logs reports whether a function only says something, or only looks at a value's type.
func logs(name string) bool {
	for _, p := range []string{"(reflect.Value).", "log.", "(*log.", "log/slog.", "(*log/slog.", "fmt.", "errors.", "context."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
