package lockflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// A reply that comes back as it is, in an interface value, is read by type assertions, by comparisons, and by functions
// of its library that take the reply and the error.

// boxed is an interface value. What is in one that may hold anything shows beside NonNil, as in a reply.
func (w *walker) boxed(e env, m *ssa.MakeInterface, depth int) clientmodel.Abstract {
	if i, ok := m.Type().Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		if _, ok := m.X.Type().Underlying().(*types.Basic); ok {
			return clientmodel.NonNil | same(w.eval(e, m.X, depth+1))
		}
	}
	return clientmodel.NonNil
}

// unboxed is the value that an assertion takes out of an interface value. One that may fail is read by its results.
func (w *walker) unboxed(e env, t *ssa.TypeAssert, depth int) clientmodel.Abstract {
	if t.CommaOk {
		return 0
	}
	return same(clientmodel.Content(w.eval(e, t.X, depth+1)))
}

// extract is one of several results.
func (w *walker) extract(e env, x *ssa.Extract, depth int) clientmodel.Abstract {
	switch t := x.Tuple.(type) {
	case *ssa.TypeAssert:
		from := w.eval(e, t.X, depth+1)
		if x.Index == 0 {
			return same(clientmodel.Content(from))
		}
		if from == clientmodel.Nil {
			return clientmodel.False
		}
	case *ssa.Call:
		if isReader(t) && len(t.Call.Args) == 2 && x.Index < 2 {
			value, err := clientmodel.ReadReply(w.eval(e, t.Call.Args[0], depth+1), w.eval(e, t.Call.Args[1], depth+1))
			return [2]clientmodel.Abstract{value, err}[x.Index]
		}
	}
	return 0
}

func isReader(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	if fn == nil {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	return clientmodel.Reader(obj)
}

// withoutContent is whether a value is nil, and nothing else.
func withoutContent(a clientmodel.Abstract) clientmodel.Abstract {
	if a&(clientmodel.Nil|clientmodel.NonNil) == 0 {
		return a
	}
	return a &^ (clientmodel.True | clientmodel.False)
}
