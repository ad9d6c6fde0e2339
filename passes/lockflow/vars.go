package lockflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// Vars are the variables of a function that a walk has to know: the phis and local variables that a condition or a
// result can come from. What all others hold would only multiply the states.
type Vars struct {
	number map[ssa.Value]int // in program order
}

// FindVars finds them. It follows conditions and results back to what they are made of.
func FindVars(fn *ssa.Function) *Vars { return findVars(fn, false) }

func findVars(fn *ssa.Function, traced bool) *Vars {
	f := &finder{seen: map[ssa.Value]bool{}, traced: traced}
	for _, b := range fn.Blocks {
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.If:
			f.want(last.Cond)
		case *ssa.Return:
			f.want(last.Results...)
		}
	}
	for len(f.todo) > 0 {
		v := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		f.follow(v)
	}
	vars := &Vars{number: map[ssa.Value]int{}}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch v := i.(type) {
			case *ssa.Phi:
				vars.add(f, v)
			case *ssa.Alloc:
				vars.add(f, v)
			}
		}
	}
	return vars
}

func (vars *Vars) add(f *finder, v ssa.Value) {
	if f.seen[v] {
		vars.number[v] = len(vars.number)
	}
}

// finder is one search for variables.
type finder struct {
	seen map[ssa.Value]bool
	todo []ssa.Value
	ops  []*ssa.Value
	// traced: what errors are made of counts, too.
	traced bool
}

func (f *finder) want(list ...ssa.Value) {
	for _, v := range list {
		if v != nil && !f.seen[v] {
			f.seen[v] = true
			f.todo = append(f.todo, v)
		}
	}
}

// follow wants what v is made of, as far as eval understands it, and what is stored in it.
func (f *finder) follow(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Call:
		if understood(v) {
			f.want(v.Call.Args...)
		} else if f.traced {
			f.want(errorsIn(v)...)
			if answers(v) {
				f.want(v.Call.Args...)
			}
		}
	case *ssa.Alloc:
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == v {
				f.want(s.Val)
			}
		}
	case *ssa.BinOp:
		if comparison(v.Op) {
			f.want(v.X, v.Y)
		}
	case *ssa.Phi, *ssa.UnOp, *ssa.MakeInterface, *ssa.Extract, *ssa.TypeAssert, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Convert:
		f.ops = v.(ssa.Instruction).Operands(f.ops[:0])
		for _, o := range f.ops {
			f.want(*o)
		}
	}
}

// understood reports whether the arguments of a call can decide what is known of its result.
func understood(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	if fn == nil {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	return obj != nil && (obj.FullName() == "errors.Is" || clientmodel.AsksForSentinel(obj)) || isReader(c)
}

func comparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}
