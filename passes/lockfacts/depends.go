package lockfacts

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

func comparesEqual(op token.Token) bool { return op == token.EQL || op == token.NEQ }

// maxDepends bounds how many values a search for a root looks at.
const maxDepends = 200

// dependsOn reports whether a value is computed from root, in a way that can tell one of its results from another. An
// error that was made a text cannot.
func (u *unit) dependsOn(v, root ssa.Value, res lockflow.Resolve) bool {
	if root == nil {
		return false
	}
	d := &dependence{u: u, root: root, res: res, seen: map[ssa.Value]bool{}}
	return d.on(v)
}

type dependence struct {
	u    *unit
	root ssa.Value
	res  lockflow.Resolve
	seen map[ssa.Value]bool
}

func (d *dependence) on(v ssa.Value) bool {
	if v == nil {
		return false
	}
	h := d.res(v)
	if h.Face != "" {
		return h.Own
	}
	if v = h.Value; v == d.root {
		return true
	}
	if d.seen[v] || len(d.seen) > maxDepends {
		return false
	}
	d.seen[v] = true
	switch v := v.(type) {
	case *ssa.Call:
		return !makesText(v) && d.arguments(v)
	case *ssa.Alloc:
		return d.stored(v)
	case *ssa.Phi, *ssa.UnOp, *ssa.BinOp, *ssa.Extract, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType,
		*ssa.Convert, *ssa.TypeAssert, *ssa.Slice, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.MakeClosure:
		return d.operands(v.(ssa.Instruction))
	}
	return false
}

func (d *dependence) operands(i ssa.Instruction) bool {
	for _, o := range i.Operands(nil) {
		if *o != nil && d.on(*o) {
			return true
		}
	}
	return false
}

// arguments looks at what a call is given. The operands of a format become a text.
func (d *dependence) arguments(c *ssa.Call) bool {
	if !formatsText(c) {
		return d.operands(c)
	}
	for _, a := range c.Call.Args[:len(c.Call.Args)-1] {
		if d.on(a) {
			return true
		}
	}
	return false
}

// stored looks at what is written to a local variable or its parts.
func (d *dependence) stored(a ssa.Value) bool {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == a && d.on(r.Val) {
				return true
			}
		case *ssa.FieldAddr:
			if r.X == a && d.stored(r) {
				return true
			}
		case *ssa.IndexAddr:
			if r.X == a && d.stored(r) {
				return true
			}
		}
	}
	return false
}

// makesText reports whether a call makes a text of its arguments, or an error that matches none of them.
func makesText(c *ssa.Call) bool {
	name := calleeName(&c.Call)
	if c.Call.IsInvoke() {
		return name == "(error).Error"
	}
	return strings.HasPrefix(name, "fmt.Sprint") || name == "fmt.Errorf" && len(wrappedByFormat(c)) == 0
}

// formatsText reports whether a call takes a constant format without %w, and operands: what it makes of an error is a
// text.
func formatsText(c *ssa.Call) bool {
	args := c.Call.Args
	if !c.Call.Signature().Variadic() || len(args) < 2 {
		return false
	}
	format, ok := args[len(args)-2].(*ssa.Const)
	if !ok || format.Value == nil || !isString(format.Type()) {
		return false
	}
	return len(operands(c, len(args)-1)) > 0 && strings.Contains(format.Value.ExactString(), "%") && !strings.Contains(format.Value.ExactString(), "%w")
}

// comparesNil reads `err != nil` and `err == nil`, in a function of their own too.
func comparesNil(cond ssa.Value) (err ssa.Value, op token.Token, ok bool) {
	switch c := cond.(type) {
	case *ssa.BinOp:
		return c.X, c.Op, lockflow.IsError(c.X.Type()) && isNil(c.Y)
	case *ssa.Call:
		fn := c.Call.StaticCallee()
		if fn == nil || len(fn.Blocks) != 1 || len(c.Call.Args) != 1 || !lockflow.IsError(c.Call.Args[0].Type()) {
			return nil, 0, false
		}
		ret, isRet := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
		if !isRet || len(ret.Results) != 1 {
			return nil, 0, false
		}
		if b, isOp := ret.Results[0].(*ssa.BinOp); isOp && b.X == fn.Params[0] && isNil(b.Y) {
			return c.Call.Args[0], b.Op, true
		}
	}
	return nil, 0, false
}
