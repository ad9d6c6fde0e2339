package lockflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// maxLearned bounds the values that a walk learns about beyond its variables.
const maxLearned = 24

// Learned are the values whose truth the branches of a path tell: `if err != nil` twice about one error goes the same way
// twice. Without them a walk takes the first branch one way and the second one the other.
type Learned struct {
	number map[ssa.Value]int
}

// FindLearned finds the values that more than one condition of the function asks about. Those to which alias gives the
// same name, such as two reads of one field, are one; "" is no name. The variables in vars are followed anyway.
func FindLearned(fn *ssa.Function, vars *Vars, alias func(ssa.Value) string) *Learned {
	l := &Learned{number: map[ssa.Value]int{}}
	count, byName, first := map[ssa.Value]int{}, map[string]ssa.Value{}, map[ssa.Value]ssa.Value{}
	var order []ssa.Value
	for _, b := range fn.Blocks {
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		for _, v := range asked(i.Cond) {
			root := v
			if name := alias(v); name != "" {
				if byName[name] == nil {
					byName[name] = v
				}
				root = byName[name]
			}
			if first[v] == nil {
				order = append(order, v)
			}
			first[v] = root
			count[root]++
		}
	}
	next := len(vars.number)
	for _, v := range order {
		root := first[v]
		if _, known := vars.number[v]; known || count[root] < 2 || len(l.number) >= maxLearned {
			continue
		}
		if _, ok := l.number[root]; !ok {
			l.number[root] = next
			next++
		}
		l.number[v] = l.number[root]
	}
	return l
}

// asked are the values that a condition tells something about.
func asked(cond ssa.Value) []ssa.Value {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return asked(c.X)
		}
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ {
			return []ssa.Value{c}
		}
		if plain(c.Y) {
			return []ssa.Value{c.X}
		}
		if plain(c.X) {
			return []ssa.Value{c.Y}
		}
		return []ssa.Value{c}
	case *ssa.Call:
		if is(c) {
			return []ssa.Value{c, c.Call.Args[0]}
		}
	case *ssa.Const:
		return nil
	}
	return []ssa.Value{cond}
}

// plain reports whether a value is nil, true or false. Of other constants a walk only knows whether they are zero.
func plain(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && (c.IsNil() || isBool(c.Type()))
}

// is reports whether a call is errors.Is.
func is(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	return fn != nil && fn.String() == "errors.Is" && len(c.Call.Args) == 2
}

// learn is what is known once a condition is true, or false.
func (w *walker) learn(e env, cond ssa.Value, a clientmodel.Abstract) env {
	if w.o.Learn == nil {
		return e
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return w.learn(e, c.X, not(a))
		}
	case *ssa.BinOp:
		return w.compared(e, c, a)
	case *ssa.Call:
		if is(c) && a == clientmodel.True {
			e = w.note(e, c.Call.Args[0], clientmodel.NonNil)
		}
	}
	return w.note(e, cond, a)
}

// compared learns from a comparison with a constant.
func (w *walker) compared(e env, c *ssa.BinOp, a clientmodel.Abstract) env {
	x, constant := c.X, c.Y
	if plain(x) {
		x, constant = c.Y, c.X
	}
	if !plain(constant) || c.Op != token.EQL && c.Op != token.NEQ {
		return w.note(e, c, a)
	}
	k := constant.(*ssa.Const)
	if c.Op == token.NEQ {
		a = not(a)
	}
	switch v := ofConst(k); {
	case v == clientmodel.Nil && a == clientmodel.False:
		return w.note(e, x, clientmodel.NonNil)
	case a == clientmodel.True:
		return w.note(e, x, v)
	case isBool(x.Type()):
		return w.note(e, x, not(v))
	}
	return e
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// note remembers what a value is, unless the walk knows more of it already.
func (w *walker) note(e env, v ssa.Value, a clientmodel.Abstract) env {
	n, ok := w.numberOf(v)
	if !ok || a == 0 {
		return e
	}
	if i, known := e.find(n); known && e[i].a != 0 {
		return e
	}
	return e.with(n, a)
}

// numberOf is the number of a value, or of the variable that it is read from.
func (w *walker) numberOf(v ssa.Value) (int, bool) {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if n, ok := w.o.Vars.number[load.X]; ok {
			return n, true
		}
	}
	if n, ok := w.o.Vars.number[v]; ok {
		return n, true
	}
	n, ok := w.o.Learn.number[v]
	return n, ok
}

// learned is what the branches before told of a value.
func (w *walker) learned(e env, v ssa.Value) clientmodel.Abstract {
	if w.o.Learn == nil {
		return 0
	}
	if n, ok := w.o.Learn.number[v]; ok {
		if i, ok := e.find(n); ok {
			return e[i].a
		}
	}
	return 0
}

// computed forgets what was learned of a value when it is computed again, in the next round of a loop.
func (w *walker) computed(e env, i ssa.Instruction) env {
	if w.o.Learn == nil {
		return e
	}
	v, ok := i.(ssa.Value)
	if !ok {
		return e
	}
	if n, ok := w.o.Learn.number[v]; ok && !isLoad(v) {
		return e.with(n, 0)
	}
	return e
}

// isLoad reports whether a value is read from memory: nothing that is understood here changes that.
func isLoad(v ssa.Value) bool {
	u, ok := v.(*ssa.UnOp)
	return ok && u.Op == token.MUL
}

// dominating is what the branches that lead to the start tell.
func (w *walker) dominating(b *ssa.BasicBlock) env {
	var e env
	if w.o.Learn == nil {
		return e
	}
	for d := b.Idom(); d != nil; b, d = d, d.Idom() {
		i, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		for n, a := range []clientmodel.Abstract{clientmodel.True, clientmodel.False} {
			if s := d.Succs[n]; s != d.Succs[1-n] && len(s.Preds) == 1 && s.Dominates(b) && !onVariable(i.Cond) {
				e = w.learn(e, i.Cond, a)
			}
		}
	}
	return e
}

// onVariable reports whether a condition reads a local variable, which may have been set since.
func onVariable(cond ssa.Value) bool {
	for _, v := range asked(cond) {
		if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
			if _, ok := u.X.(*ssa.Alloc); ok {
				return true
			}
		}
	}
	return false
}
