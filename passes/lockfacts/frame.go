package lockfacts

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// frame evaluates the values of one function symbolically, in terms of its own parameters and, for a closure, those of
// the functions around it.
type frame struct {
	u    *unit
	fn   *ssa.Function
	name string
	memo map[ssa.Value]keyterm.Term
	busy map[ssa.Value]bool
	// depth bounds recursion through long chains of values.
	depth int
	// cuts counts how often a value that depends on itself was cut, and work how many values were computed.
	cuts, work int
}

// maxWork is the number of values of one function that are computed with care; then cut values are remembered too.
const maxWork = 4000

// maxJoin is the number of values that a join looks at; a join of more is unknown.
const maxJoin = 12

const maxValueDepth = 200

func (u *unit) frame(fn *ssa.Function) *frame {
	f, ok := u.frames[fn]
	if !ok {
		f = &frame{u: u, fn: fn, name: u.spell.function(fn), memo: map[ssa.Value]keyterm.Term{}, busy: map[ssa.Value]bool{}}
		u.frames[fn] = f
	}
	return f
}

// value is the term of v; a value that depends on itself is unknown.
func (f *frame) value(v ssa.Value) keyterm.Term {
	if v == nil {
		return keyterm.Term{}
	}
	if t, ok := f.memo[v]; ok {
		return t
	}
	if f.busy[v] || f.depth > maxValueDepth {
		f.cuts++
		return keyterm.Term{}
	}
	f.busy[v] = true
	f.depth++
	f.work++
	cuts := f.cuts
	t := f.compute(v)
	f.depth--
	delete(f.busy, v)
	if t.Type == "" {
		t.Type = f.u.spell.typ(v.Type())
	}
	// What was cut inside a cycle is only right there: asked for from outside, the value may be known.
	if f.cuts == cuts || len(f.busy) == 0 || f.work > maxWork {
		f.memo[v] = t
	}
	return t
}

func (f *frame) compute(v ssa.Value) keyterm.Term {
	switch v := v.(type) {
	case *ssa.Const:
		return constTerm(v, f.u.spell.typ(v.Type()))
	case *ssa.Parameter:
		return f.parameter(v)
	case *ssa.FreeVar:
		return f.free(v)
	case *ssa.Function:
		return f.at(keyterm.Term{Op: keyterm.Func, Text: f.u.name(v)}, v.Pos())
	case *ssa.MakeClosure:
		return f.closure(v)
	case *ssa.Phi:
		return f.phi(v)
	case *ssa.Alloc:
		return f.alloc(v)
	case *ssa.UnOp:
		return f.unary(v)
	case *ssa.BinOp:
		return f.binary(v)
	case *ssa.Call:
		return f.callResult(v, 0)
	case *ssa.Extract:
		return f.extract(v)
	case *ssa.Global:
		return f.u.global(v)
	default:
		return f.access(v)
	}
}

// access is for values that are read out of other values or converted.
func (f *frame) access(v ssa.Value) keyterm.Term {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return f.field(v.X, v.Field, v)
	case *ssa.Field:
		return f.field(v.X, v.Field, v)
	case *ssa.IndexAddr:
		return f.element(v.X, v.Index, false, v.Pos())
	case *ssa.Index:
		return f.element(v.X, v.Index, false, v.Pos())
	case *ssa.Lookup:
		return f.element(v.X, v.Index, v.CommaOk, v.Pos())
	case *ssa.Slice:
		return f.slice(v)
	case *ssa.MakeInterface:
		return f.value(v.X)
	case *ssa.ChangeInterface:
		return f.value(v.X)
	case *ssa.ChangeType:
		return f.value(v.X)
	case *ssa.Convert:
		return f.convert(v)
	case *ssa.MultiConvert:
		return f.value(v.X)
	case *ssa.TypeAssert:
		return f.value(v.X)
	case *ssa.SliceToArrayPointer:
		return f.value(v.X)
	}
	return keyterm.Term{}
}

// at gives a term its place and function.
func (f *frame) at(t keyterm.Term, pos token.Pos) keyterm.Term {
	t.At, t.Fn = f.u.pos(pos), f.name
	return t
}

func (u *unit) pos(p token.Pos) keyterm.Pos {
	if !p.IsValid() {
		return keyterm.Pos{}
	}
	x := u.pass.Fset.Position(p)
	return keyterm.Pos{File: x.Filename, Line: x.Line, Column: x.Column}
}

func constTerm(c *ssa.Const, typ string) keyterm.Term {
	t := keyterm.Term{Op: keyterm.Const, Type: typ}
	switch {
	case c.Value == nil:
		t.Text = "nil"
		t.Index = 1
		if _, basic := c.Type().Underlying().(*types.Basic); basic {
			t.Text = ""
		}
	case c.Value.Kind() == constant.String:
		t.Text = constant.StringVal(c.Value)
	default:
		t.Text = c.Value.ExactString()
	}
	return t
}

func (f *frame) parameter(p *ssa.Parameter) keyterm.Term {
	return f.at(keyterm.Term{Op: keyterm.Param, Text: f.name, Index: slices.Index(f.fn.Params, p)}, p.Pos())
}

// free is a captured variable: what the enclosing function bound it to. A variable that is captured by reference and a
// pointer to it are one term.
func (f *frame) free(v *ssa.FreeVar) keyterm.Term {
	parent, bound := f.binding(v)
	if parent == nil {
		return keyterm.Term{}
	}
	if a, ok := bound.(*ssa.Alloc); ok {
		return parent.variable(a)
	}
	return parent.value(bound)
}

// binding is the value that the enclosing function captures as v, and that function's frame.
func (f *frame) binding(v *ssa.FreeVar) (*frame, ssa.Value) {
	mc := f.u.makes[f.fn]
	i := slices.Index(f.fn.FreeVars, v)
	if mc == nil || i < 0 || i >= len(mc.Bindings) || f.fn.Parent() == nil {
		return nil, nil
	}
	return f.u.frame(f.fn.Parent()), mc.Bindings[i]
}

// closure is a function literal with what the functions around it were given, or a bound method.
func (f *frame) closure(v *ssa.MakeClosure) keyterm.Term {
	fn := v.Fn.(*ssa.Function)
	t := keyterm.Term{Op: keyterm.Func, Text: f.u.name(fn)}
	if fn.Synthetic != "" { // a bound method: its one free variable is the receiver
		t.Index = 1
		t.Args = []keyterm.Term{f.value(v.Bindings[0])}
		return f.at(t, v.Pos())
	}
	for p := fn.Parent(); p != nil; p = p.Parent() {
		for i, param := range p.Params {
			t.Names = append(t.Names, keyterm.ParamName(p.String(), i))
			t.Args = append(t.Args, f.u.frame(p).parameter(param))
		}
	}
	return f.at(t, fn.Pos())
}

// phi joins the edges of a branch.
func (f *frame) phi(v *ssa.Phi) keyterm.Term {
	if t, ok := f.collected(v); ok {
		return t
	}
	if t, ok := f.phiOr(v); ok {
		return t
	}
	if t, ok := f.rounds(v); ok {
		return t
	}
	if len(v.Edges) > maxJoin {
		return keyterm.Term{}
	}
	var all []keyterm.Term
	for _, e := range v.Edges {
		if e != v {
			all = append(all, f.value(e))
		}
	}
	return f.at(keyterm.Term{Op: keyterm.Set, Args: all}, v.Pos()).Norm()
}

func (f *frame) extract(v *ssa.Extract) keyterm.Term {
	switch x := v.Tuple.(type) {
	case *ssa.Call:
		return f.callResult(x, v.Index)
	case *ssa.Lookup, *ssa.TypeAssert:
		if v.Index == 0 {
			return f.value(x)
		}
	case *ssa.Next:
		return f.at(keyterm.Term{Op: keyterm.Lookup, Args: []keyterm.Term{f.value(iterated(x)), f.each(v)}, Index: 1}, v.Pos())
	}
	return keyterm.Term{}
}

func iterated(n *ssa.Next) ssa.Value {
	if r, ok := n.Iter.(*ssa.Range); ok {
		return r.X
	}
	return nil
}

func (f *frame) unary(v *ssa.UnOp) keyterm.Term {
	if v.Op == token.MUL {
		return f.load(v.X, v)
	}
	if v.Op == token.ARROW {
		return keyterm.Term{}
	}
	return f.at(keyterm.Term{Op: keyterm.Arith, Text: v.Op.String(), Args: []keyterm.Term{f.value(v.X)}}, v.Pos()).Norm()
}

// load reads what an address holds.
func (f *frame) load(addr ssa.Value, at ssa.Value) keyterm.Term {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return f.variable(a)
	case *ssa.FreeVar:
		return f.free(a)
	case *ssa.FieldAddr:
		return f.field(a.X, a.Field, at)
	}
	return f.value(addr)
}

// variable is a local variable whose address is taken: the join of everything stored in it. A struct is an object.
func (f *frame) variable(a *ssa.Alloc) keyterm.Term {
	if _, ok := structOf(a.Type()); ok {
		if t := f.alloc(a); t.Op != keyterm.Unknown {
			return t
		}
	}
	stores := f.u.storesTo(f.fn, a)
	if len(stores) > maxJoin {
		return keyterm.Term{}
	}
	var all []keyterm.Term
	for _, s := range stores {
		all = append(all, f.u.frame(s.Parent()).value(s.Val))
	}
	if escapes(a) {
		all = append(all, f.at(keyterm.Term{Op: keyterm.Fresh, Text: keyterm.Local}, a.Pos()))
	}
	if len(all) == 0 {
		return keyterm.Term{}
	}
	all = dropZero(all)
	return f.at(keyterm.Term{Op: keyterm.Set, Args: all}, a.Pos()).Norm()
}

// dropZero leaves out zero constants where there is anything else: the initial value of a variable that is set later,
// or what is returned beside an error.
func dropZero(all []keyterm.Term) []keyterm.Term {
	var rest []keyterm.Term
	for _, t := range all {
		if t.Op == keyterm.Const && (t.Text == "" || t.Text == "nil") {
			continue
		}
		rest = append(rest, t)
	}
	if len(rest) == 0 {
		return all
	}
	return rest
}

// storesTo lists the stores to a local variable, in its function and in the closures that capture it.
func (u *unit) storesTo(fn *ssa.Function, a ssa.Value) []*ssa.Store {
	var out []*ssa.Store
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == a {
				out = append(out, r)
			}
		case *ssa.MakeClosure:
			c := r.Fn.(*ssa.Function)
			for i, b := range r.Bindings {
				if b == a && i < len(c.FreeVars) {
					out = append(out, u.storesTo(c, c.FreeVars[i])...)
				}
			}
		}
	}
	return out
}

// binary is arithmetic, or the concatenation of strings.
func (f *frame) binary(v *ssa.BinOp) keyterm.Term {
	if v.Op == token.ADD && isString(v.Type()) {
		x, y := f.literal(v.X, v.Pos()), f.literal(v.Y, v.Pos())
		return f.at(keyterm.Term{Op: keyterm.Concat, Args: []keyterm.Term{x, y}}, v.Pos()).Norm()
	}
	return f.at(arith(v.Op, f.value(v.X), f.value(v.Y)), v.Pos()).Norm()
}

// arith folds integer constants, as far as the result fits into an integer type.
func arith(op token.Token, x, y keyterm.Term) keyterm.Term {
	if x.Op == keyterm.Const && y.Op == keyterm.Const {
		a, b := constant.MakeFromLiteral(x.Text, token.INT, 0), constant.MakeFromLiteral(y.Text, token.INT, 0)
		if a.Kind() == constant.Int && b.Kind() == constant.Int {
			if n := fold(op, a, b); n != nil && constant.BitLen(n) <= 64 {
				return keyterm.Term{Op: keyterm.Const, Text: n.ExactString()}
			}
		}
	}
	return keyterm.Term{Op: keyterm.Arith, Text: op.String(), Args: []keyterm.Term{x, y}}
}

// fold calculates, nil if it cannot.
func fold(op token.Token, a, b constant.Value) constant.Value {
	switch {
	case op == token.ADD, op == token.SUB, op == token.MUL:
		return constant.BinaryOp(a, op, b)
	case op == token.QUO && constant.Sign(b) != 0:
		return constant.BinaryOp(a, token.QUO_ASSIGN, b)
	}
	return nil
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// convert passes a value through; a conversion that changes what a number means is kept.
func (f *frame) convert(v *ssa.Convert) keyterm.Term {
	x := f.value(v.X)
	if isString(v.Type()) && isInteger(v.X.Type()) {
		return f.at(keyterm.Term{Op: keyterm.Call, Text: "string", Args: []keyterm.Term{x}}, v.Pos()).Norm()
	}
	x.Type = f.u.spell.typ(v.Type())
	return x
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
