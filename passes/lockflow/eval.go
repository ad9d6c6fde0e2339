package lockflow

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

const maxEvalDepth = 12

// eval is what is known of a value on the path; 0 is "unknown".
func (w *walker) eval(e env, v ssa.Value, depth int) clientmodel.Abstract {
	if depth > maxEvalDepth {
		return 0
	}
	if w.o.Assume != nil {
		if a, ok := w.o.Assume(v); ok {
			return a
		}
	}
	if a, ok := w.decided(e, v); ok {
		return a
	}
	if a := w.learned(e, v); a != 0 {
		return a
	}
	switch v := v.(type) {
	case *ssa.Const:
		return ofConst(v)
	case *ssa.Phi:
		return w.variable(e, v)
	case *ssa.UnOp:
		return w.unary(e, v, depth)
	case *ssa.BinOp:
		return w.binary(e, v, depth)
	case *ssa.Call:
		return w.call(e, v, depth)
	case *ssa.MakeInterface:
		return w.boxed(e, v, depth)
	case *ssa.MakeClosure, *ssa.Function, *ssa.Alloc:
		return clientmodel.NonNil
	case *ssa.Extract:
		return w.extract(e, v, depth)
	case *ssa.TypeAssert:
		return w.unboxed(e, v, depth)
	case *ssa.ChangeInterface:
		return w.eval(e, v.X, depth+1)
	case *ssa.ChangeType:
		return w.eval(e, v.X, depth+1)
	case *ssa.Convert:
		return w.eval(e, v.X, depth+1)
	}
	return 0
}

func ofConst(c *ssa.Const) clientmodel.Abstract {
	if c.Value == nil {
		if basic, ok := c.Type().Underlying().(*types.Basic); ok && basic.Kind() != types.UntypedNil {
			return clientmodel.False
		}
		return clientmodel.Nil
	}
	switch c.Value.Kind() {
	case constant.Bool:
		return ofBool(constant.BoolVal(c.Value))
	case constant.String:
		switch constant.StringVal(c.Value) {
		case "":
			return clientmodel.False
		case "OK":
			return clientmodel.True
		}
	case constant.Int:
		if n, exact := constant.Int64Val(c.Value); exact && (n == 0 || n == 1) {
			return ofBool(n == 1)
		}
	case constant.Float:
		if constant.Sign(c.Value) == 0 {
			return clientmodel.False
		}
	}
	return 0 // not a reply, and neither zero nor one
}

func ofBool(b bool) clientmodel.Abstract {
	if b {
		return clientmodel.True
	}
	return clientmodel.False
}

func (w *walker) unary(e env, v *ssa.UnOp, depth int) clientmodel.Abstract {
	switch v.Op {
	case token.NOT:
		return not(w.eval(e, v.X, depth+1))
	case token.MUL:
		switch x := v.X.(type) {
		case *ssa.Alloc:
			return w.variable(e, x)
		case *ssa.Global:
			if IsError(v.Type()) {
				return clientmodel.NonNil // a sentinel error variable
			}
		}
	}
	return 0
}

func not(a clientmodel.Abstract) clientmodel.Abstract {
	switch a {
	case clientmodel.True:
		return clientmodel.False
	case clientmodel.False:
		return clientmodel.True
	}
	return 0
}

// binary compares. Numbers are only known as zero or not, where "not zero" is a reply of 1.
func (w *walker) binary(e env, v *ssa.BinOp, depth int) clientmodel.Abstract {
	x, y := w.eval(e, v.X, depth+1), w.eval(e, v.Y, depth+1)
	switch v.Op {
	case token.EQL:
		return w.equal(x, y, v)
	case token.NEQ:
		return not(w.equal(x, y, v))
	case token.GTR:
		if y == clientmodel.False {
			return same(x)
		}
	case token.LEQ:
		if y == clientmodel.False {
			return not(same(x))
		}
	case token.GEQ:
		if y == clientmodel.True {
			return same(x)
		}
	case token.LSS:
		if y == clientmodel.True {
			return not(same(x))
		}
	}
	return 0
}

// same passes on what is certain.
func same(a clientmodel.Abstract) clientmodel.Abstract {
	if a == clientmodel.True || a == clientmodel.False {
		return a
	}
	return 0
}

// equal compares two values; err == sentinel is errors.Is.
func (w *walker) equal(x, y clientmodel.Abstract, v *ssa.BinOp) clientmodel.Abstract {
	if isSentinel(v.Y) {
		return w.is(x, v.Y)
	}
	if isSentinel(v.X) {
		return w.is(y, v.X)
	}
	return equal(x, y)
}

func equal(x, y clientmodel.Abstract) clientmodel.Abstract {
	x &^= clientmodel.Contention
	y &^= clientmodel.Contention
	if x == clientmodel.Nil || y == clientmodel.Nil { // what is in an interface value does not matter then
		x, y = withoutContent(x), withoutContent(y)
	}
	switch {
	case x == y && (x == clientmodel.Nil || x&^clientmodel.NonNil == clientmodel.False || x&^clientmodel.NonNil == clientmodel.True):
		return clientmodel.True
	case x == clientmodel.Nil && y == clientmodel.NonNil, x == clientmodel.NonNil && y == clientmodel.Nil:
		return clientmodel.False
	case x&clientmodel.NonNil == y&clientmodel.NonNil && opposite(x&^clientmodel.NonNil, y&^clientmodel.NonNil):
		return clientmodel.False
	}
	return 0
}

func opposite(x, y clientmodel.Abstract) bool {
	return x == clientmodel.True && y == clientmodel.False || x == clientmodel.False && y == clientmodel.True
}

// call knows the standard library's error functions.
func (w *walker) call(e env, c *ssa.Call, depth int) clientmodel.Abstract {
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Object() == nil {
		return 0
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return 0
	}
	switch obj.FullName() {
	case "fmt.Errorf", "errors.New":
		return clientmodel.NonNil
	case "errors.Is":
		return w.is(w.eval(e, c.Call.Args[0], depth+1), c.Call.Args[1])
	}
	if clientmodel.AsksForSentinel(obj) && len(c.Call.Args) > 0 {
		return isContention(w.eval(e, c.Call.Args[0], depth+1))
	}
	return 0
}

// is decides errors.Is(err, target) for an error of the acquire.
func (w *walker) is(err clientmodel.Abstract, target ssa.Value) clientmodel.Abstract {
	if err == clientmodel.Nil || isSentinel(target) {
		return isContention(err)
	}
	return 0
}

// isContention decides whether an error of the acquire says that the lock is taken.
func isContention(err clientmodel.Abstract) clientmodel.Abstract {
	switch err {
	case clientmodel.Nil:
		return clientmodel.False
	case clientmodel.NonNil | clientmodel.Contention:
		return clientmodel.True
	case clientmodel.NonNil:
		return clientmodel.False
	}
	return 0
}

func isSentinel(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.Const:
			return x.Value != nil && x.Value.Kind() == constant.String &&
				clientmodel.IsSentinelConst(x.Type(), constant.StringVal(x.Value))
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.UnOp:
			g, ok := x.X.(*ssa.Global)
			if !ok {
				return false
			}
			obj, _ := g.Object().(*types.Var)
			return clientmodel.IsSentinel(obj)
		default:
			return false
		}
	}
}
