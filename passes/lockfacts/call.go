package lockfacts

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// callResult is result i of a call.
func (f *frame) callResult(c *ssa.Call, i int) keyterm.Term {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		return f.builtin(b, c)
	}
	if t, ok := f.known(c, i); ok {
		return t
	}
	targets := f.u.targets(f, c)
	if t, ok := f.fromRows(targets, i); ok {
		return f.u.identified(t, c)
	}
	if t, ok := f.fromSummaries(targets, c, i); ok {
		return t
	}
	return f.opaque(c, i)
}

// builtin sees through append of bytes and min/max.
func (f *frame) builtin(b *ssa.Builtin, c *ssa.Call) keyterm.Term {
	args := f.values(c.Call.Args)
	switch b.Name() {
	case "append":
		return f.appended(args, c)
	case "min", "max":
		return f.at(keyterm.Term{Op: keyterm.Arith, Text: b.Name(), Args: args}, c.Pos()).Norm()
	}
	return keyterm.Term{}
}

func (f *frame) appended(args []keyterm.Term, c *ssa.Call) keyterm.Term {
	if len(args) != 2 {
		return keyterm.Term{}
	}
	if s, ok := c.Type().Underlying().(*types.Slice); ok && isByte(s.Elem()) {
		args[0], args[1] = f.placed(args[0], c.Pos()), f.placed(byteText(args[1]), c.Pos())
		return f.at(keyterm.Term{Op: keyterm.Concat, Args: args}, c.Pos()).Norm()
	}
	if args[0].Op == keyterm.Const { // append(nil, ...)
		args[0] = keyterm.Term{Op: keyterm.List}
	}
	if args[0].Op == keyterm.List && args[1].Op == keyterm.List {
		return f.at(keyterm.Term{Op: keyterm.List, Args: slices.Concat(args[0].Args, args[1].Args)}, c.Pos()).Norm()
	}
	return keyterm.Term{}
}

// byteText is a list of constant bytes as a string; any other list is unknown.
func byteText(t keyterm.Term) keyterm.Term {
	if t.Op != keyterm.List {
		return t
	}
	var b []byte
	for _, a := range t.Args {
		n, err := strconv.ParseUint(a.Text, 10, 8)
		if a.Op != keyterm.Const || err != nil {
			return keyterm.Term{}
		}
		b = append(b, byte(n))
	}
	return text(string(b))
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func (f *frame) values(vs []ssa.Value) []keyterm.Term {
	out := make([]keyterm.Term, len(vs))
	for i, v := range vs {
		out[i] = f.value(v)
	}
	return out
}

// literals are values that stand in the text at pos.
func (f *frame) literals(vs []ssa.Value, pos token.Pos) []keyterm.Term {
	out := f.values(vs)
	for i := range out {
		out[i] = f.placed(out[i], pos)
	}
	return out
}

// known is what the standard library's functions and the environment's sources return.
func (f *frame) known(c *ssa.Call, i int) (keyterm.Term, bool) {
	name := f.u.spell.callee(&c.Call)
	if name == "" {
		return keyterm.Term{}, false
	}
	if keyterm.PassesThrough(name) && i == 0 && len(c.Call.Args) > 0 {
		return f.value(c.Call.Args[0]), true
	}
	if s := keyterm.Source(name); s != "" {
		if i != 0 {
			return keyterm.Term{}, true
		}
		t := keyterm.Term{Op: keyterm.Fresh, Text: s, Names: []string{name}}
		if s == keyterm.Input || s == keyterm.Reflect {
			t.Args = f.values(c.Call.Args) // which header, variable, field
		}
		return f.at(t, c.Pos()), true
	}
	if t, ok := f.loadedSum(c, i); ok {
		return t, true
	}
	if i == 0 {
		return f.build(name, c)
	}
	return keyterm.Term{}, false
}

// loadedSum is the sum that the reply of SCRIPT LOAD holds.
func (f *frame) loadedSum(c *ssa.Call, i int) (keyterm.Term, bool) {
	if i != 0 || len(c.Call.Args) != 1 || !accessor(c) {
		return keyterm.Term{}, false
	}
	t := f.value(c.Call.Args[0])
	return t, clientmodel.IsSum(t)
}

// calleeName is the full name of a statically known function or of an interface method, "" for a function value.
func calleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	fn := c.StaticCallee()
	if fn == nil {
		return ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// target is one function that a call can reach, and what it is called with.
type target struct {
	fn      *ssa.Function // nil where it has no body here
	summary *Summary      // nil where nothing is known
	row     *clientmodel.Row
	obj     *types.Func
	name    string
	args    []keyterm.Term // receiver first
	env     keyterm.Env
	value   keyterm.Term // the function value, for a call through one
}

// bind makes the environment that a target's parameters live in.
func (t *target) bind(extra keyterm.Env) {
	t.env = keyterm.Env{}
	for k, v := range extra {
		t.env[k] = v
	}
	for i, a := range t.args {
		t.env[keyterm.ParamName(t.name, i)] = a
	}
	if t.summary != nil { // what somebody else will pass is not known, and no parameter of the caller
		for i := len(t.args); i < t.summary.Params; i++ {
			t.env[keyterm.ParamName(t.name, i)] = keyterm.Term{}
		}
	}
}

// targets are the functions that a call can reach. Few calls have more than one.
func (u *unit) targets(f *frame, c ssa.CallInstruction) []target {
	common := c.Common()
	if common.IsInvoke() {
		return u.invoked(f, c)
	}
	args := f.literals(common.Args, u.callPos(c))
	if fn := common.StaticCallee(); fn != nil {
		if boundMethod(fn) { // called at once
			if mc, ok := common.Value.(*ssa.MakeClosure); ok {
				args = append([]keyterm.Term{f.value(mc.Bindings[0])}, args...)
			}
			if out := u.boundInterface(fn.String(), args); len(out) > 0 {
				return out
			}
		}
		return []target{u.static(fn, args)}
	}
	return u.called(f.value(common.Value), args, c, 0)
}

// static is a target that is known by name.
func (u *unit) static(fn *ssa.Function, args []keyterm.Term) target {
	t := target{fn: u.target(fn), args: args}
	t.name = u.spell.function(t.fn)
	t.obj, _ = t.fn.Object().(*types.Func)
	if row, ok := clientmodel.Lookup(t.obj); ok {
		t.row = &row
	} else {
		t.summary = u.summaryOf(t.fn)
	}
	t.bind(nil)
	return t
}

// named is a target that facts know.
func (u *unit) named(name string, args []keyterm.Term) target {
	t := target{name: name, args: args, fn: u.byName[name]}
	if t.fn != nil {
		t.summary = u.summaryOf(t.fn)
	} else {
		t.summary = u.funcs[name]
	}
	if row, ok := clientmodel.Named(name); ok {
		t.row = &row
	} else if obj := u.clientFunction(name); obj != nil {
		if row, ok := clientmodel.Lookup(obj); ok {
			t.row, t.obj = &row, obj
		}
	}
	t.bind(nil)
	return t
}

// called are the targets of calling a function value.
func (u *unit) called(fn keyterm.Term, args []keyterm.Term, c ssa.CallInstruction, depth int) []target {
	switch fn.Op {
	case keyterm.Built:
		return u.called(fn.Args[0], args, c, depth)
	case keyterm.Func:
		if fn.Index == 1 {
			args = append([]keyterm.Term{fn.Args[0]}, args...)
		}
		if out := u.boundInterface(fn.Text, args); len(out) > 0 {
			return out
		}
		t := u.named(fn.Text, args)
		t.value = fn
		extra := keyterm.Env{}
		for i, n := range fn.Names {
			if fn.Index != 1 {
				extra[n] = fn.Args[i]
			}
		}
		t.bind(extra)
		return []target{t}
	case keyterm.Set:
		var out []target
		if depth < 3 {
			for _, a := range fn.Args {
				out = append(out, u.called(a, args, c, depth+1)...)
			}
		}
		return out
	case keyterm.Field:
		if held := u.heldFunctions(fn); len(held) > 0 && len(held) <= maxTargets && depth < 3 {
			var out []target
			for _, f := range held {
				out = append(out, u.called(f, args, c, depth+1)...)
			}
			if slices.ContainsFunc(out, func(t target) bool { return t.row != nil || t.summary != nil }) {
				return out
			}
		}
	}
	if c != nil && fn.Op != keyterm.Param { // what a parameter is, callers know better than the call graph
		if out := u.dynamic(c, args); len(out) > 0 {
			for i := range out {
				out[i].value = fn
			}
			return out
		}
	}
	return []target{{args: args, value: fn}}
}

// dynamic asks the call graph.
func (u *unit) dynamic(c ssa.CallInstruction, args []keyterm.Term) []target {
	var out []target
	for _, fn := range u.dynamicCallees(c) {
		a := args
		t := u.target(fn)
		if boundMethod(fn) || t != fn && len(t.Params) == len(args)+1 { // its receiver is not known here
			a = append([]keyterm.Term{{}}, args...)
		}
		if len(t.Blocks) > 0 || u.funcs[u.spell.function(t)] != nil || isRow(t) {
			out = append(out, u.static(t, a))
		}
	}
	if len(out) > maxTargets {
		return nil
	}
	return out
}

// boundMethod reports whether fn is the wrapper that the compiler makes of a method value.
func boundMethod(fn *ssa.Function) bool {
	return fn.Synthetic != "" && len(fn.FreeVars) == 1 && fn.Parent() == nil
}

const maxTargets = 6

// isRow reports whether the client table knows a function.
func isRow(fn *ssa.Function) bool {
	obj, _ := fn.Object().(*types.Func)
	_, ok := clientmodel.Lookup(obj)
	return ok
}

// invoked are the targets of an interface method call: the row of a client's interface, the method of the known
// dynamic type, or the union of the implementations that the package can see and that do something to locks.
func (u *unit) invoked(f *frame, c ssa.CallInstruction) []target {
	common := c.Common()
	recv := f.value(common.Value)
	args := append([]keyterm.Term{recv}, f.literals(common.Args, u.callPos(c))...)
	if row, ok := clientmodel.Lookup(common.Method); ok {
		return []target{{row: &row, obj: common.Method, name: u.spell.method(common.Method), args: args}}
	}
	if t, ok := u.methodOf(recv, common.Method.Name(), args); ok {
		return []target{t}
	}
	var inside []target
	if u.anyMethod(common.Method.Name()) { // the call graph is dear, and most interfaces have nothing to do with locks
		inside = u.dynamic(c, args)
	}
	if touching(inside) {
		return inside
	}
	// What the package itself puts behind the interface may be no more than the twin that does nothing.
	if out := u.implementations(f, common, args); touching(out) || len(inside) == 0 && len(out) > 0 {
		return out
	}
	if len(inside) > 0 {
		return inside
	}
	u.unknown("interface method without a known implementation", u.pos(u.callPos(c)))
	return []target{{obj: common.Method, name: common.Method.FullName(), args: args, value: keyterm.Term{}}}
}

// anyMethod reports whether some method of the unit with the name does something to locks or makes a value that counts.
func (u *unit) anyMethod(name string) bool {
	if u.methodsBy == nil {
		u.methodsBy = map[string][]*ssa.Function{}
		for _, fn := range u.fns {
			if fn.Signature.Recv() != nil && fn.Parent() == nil {
				u.methodsBy[fn.Name()] = append(u.methodsBy[fn.Name()], fn)
			}
		}
	}
	for _, fn := range u.methodsBy[name] {
		if s := u.summaryOf(fn); s != nil && useful(s) {
			return true
		}
	}
	return false
}

// touching reports whether one of the targets does something to locks.
func touching(ts []target) bool {
	for _, t := range ts {
		if t.row != nil || t.summary != nil && t.summary.touchesLocks() {
			return true
		}
	}
	return false
}

// methodOf is the method of an object whose type is known.
func (u *unit) methodOf(recv keyterm.Term, method string, args []keyterm.Term) (target, bool) {
	if recv.Op != keyterm.Object || recv.Text == "" {
		return target{}, false
	}
	for _, name := range []string{"(*" + recv.Text + ")." + method, "(" + recv.Text + ")." + method} {
		if u.byName[name] != nil || u.funcs[name] != nil {
			return u.named(name, args), true
		}
	}
	return target{}, false
}

// implementations are the methods of the types that are used as the interface somewhere in sight. In-memory and no-op
// twins do nothing to locks and do not count, unless nobody does anything to locks and it is the string that matters.
func (u *unit) implementations(f *frame, common *ssa.CallCommon, args []keyterm.Term) []target {
	var out, others []target
	for _, typ := range u.impls[typeName(common.Value.Type())] {
		for _, name := range methodNames(typ, common.Method.Name()) {
			if u.byName[name] == nil && u.funcs[name] == nil {
				continue
			}
			if m := u.byName[name]; m != nil && u.onlyTested(f.fn, m) {
				break
			}
			if name == f.name || strings.HasPrefix(f.name, name+"$") {
				break // a decorator's own method: what it holds is another one
			}
			if t := u.named(name, args); t.summary != nil && t.summary.touchesLocks() {
				if out = append(out, t); len(out) > maxTargets {
					return nil
				}
			} else if t.summary != nil {
				others = append(others, t)
			}
			break
		}
	}
	if r := common.Signature().Results(); len(out) == 0 && r.Len() > 0 && isString(r.At(0).Type()) {
		out = others
	}
	if len(out) > maxTargets {
		return nil
	}
	return out
}

// methodNames spells a method of a type, with a pointer receiver or without.
func methodNames(typ, method string) []string {
	if typ[0] == '*' {
		return []string{"(" + typ + ")." + method, "(" + typ[1:] + ")." + method}
	}
	return []string{"(" + typ + ")." + method}
}

func (s *Summary) touchesLocks() bool { return len(s.Effects) > 0 }

// fromRows reads the result out of a client's row.
func (f *frame) fromRows(ts []target, i int) (keyterm.Term, bool) {
	if len(ts) != 1 || ts[0].row == nil {
		return keyterm.Term{}, false
	}
	if ts[0].row.Results == nil {
		return keyterm.Term{}, false
	}
	all := ts[0].row.Results(clientmodel.Call{Args: ts[0].args})
	if i >= len(all) {
		return keyterm.Term{}, true
	}
	return all[i], true
}

// fromSummaries joins what the targets return.
func (f *frame) fromSummaries(ts []target, c *ssa.Call, i int) (keyterm.Term, bool) {
	var all []keyterm.Term
	for _, t := range ts {
		if t.summary == nil || i >= len(t.summary.Results) || t.summary.Results[i].Op == keyterm.Unknown {
			return keyterm.Term{}, false
		}
		v := f.u.subst(f.u.relocate(t.summary.Results[i], t.name, f.u.site(f, c)), t.env)
		if buildsString(c, i) && t.name != "" {
			v = f.at(keyterm.Term{Op: keyterm.Built, Text: t.name, Args: []keyterm.Term{v}}, c.Pos()).Norm()
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return keyterm.Term{}, false
	}
	t := f.at(keyterm.Term{Op: keyterm.Set, Args: all}, c.Pos()).Norm()
	return t, t.Op != keyterm.Unknown
}

func buildsString(c *ssa.Call, i int) bool {
	t := c.Type()
	if tuple, ok := t.(*types.Tuple); ok {
		if i >= tuple.Len() {
			return false
		}
		t = tuple.At(i).Type()
	}
	return isString(t)
}

// opaque is the result of a function that the analysis does not look into: equal arguments give an equal result.
func (f *frame) opaque(c *ssa.Call, i int) keyterm.Term {
	t := keyterm.Term{Op: keyterm.Call, Text: f.u.spell.callee(&c.Call), Index: i}
	if c.Call.IsInvoke() || t.Text == "" {
		t.Args = append(t.Args, f.value(c.Call.Value))
	}
	t.Args = append(t.Args, f.values(c.Call.Args)...)
	return f.at(t, f.u.callPos(c)).Norm() // the place of the event, if it is a command: see byTerm
}

// subst replaces parameters and applies functional options whose functions became known.
func (u *unit) subst(t keyterm.Term, env keyterm.Env) keyterm.Term {
	if len(env) == 0 {
		return t
	}
	return t.Map(func(p keyterm.Term) keyterm.Term {
		switch p.Op {
		case keyterm.Param:
			if v, ok := env[keyterm.ParamName(p.Text, p.Index)]; ok {
				return v
			}
		case keyterm.Object:
			return u.applyOptions(p)
		case keyterm.Call:
			return u.callKnown(p)
		}
		return p
	})
}

// maxNested bounds calls of function values inside each other's results: a function that calls what it is given, given
// itself, would never end.
const maxNested = 4

// callKnown calls a function value that a substitution has made known.
func (u *unit) callKnown(p keyterm.Term) keyterm.Term {
	if p.Text == "strings.Join" && len(p.Args) == 2 && p.Args[0].Op == keyterm.List {
		return joinList(p)
	}
	if t, ok := formatKnown(p); ok {
		return t
	}
	if p.Text != "" || len(p.Args) == 0 || p.Args[0].Op != keyterm.Func || u.nested > maxNested {
		return p
	}
	u.nested++
	defer func() { u.nested-- }()
	for _, t := range u.called(p.Args[0], p.Args[1:], nil, 0) {
		if t.summary != nil && p.Index < len(t.summary.Results) && t.summary.Results[p.Index].Op != keyterm.Unknown {
			if v := u.subst(t.summary.Results[p.Index], t.env); v.Op != keyterm.Unknown {
				return keyterm.Term{Op: keyterm.Built, Text: t.name, Args: []keyterm.Term{v}, At: p.At, Fn: p.Fn, Type: p.Type}.Norm()
			}
		}
	}
	return p
}

// joinList is strings.Join of a list that a substitution has made known.
func joinList(p keyterm.Term) keyterm.Term {
	var parts []keyterm.Term
	for i, a := range p.Args[0].Args {
		if i > 0 {
			parts = append(parts, p.Args[1])
		}
		parts = append(parts, a)
	}
	return keyterm.Term{Op: keyterm.Concat, Args: parts, At: p.At, Fn: p.Fn, Type: p.Type}.Norm()
}

// applyOptions carries out the writes of functional options on an object.
func (u *unit) applyOptions(o keyterm.Term) keyterm.Term {
	i := slices.Index(o.Names, applied)
	if u.nested > maxNested || i < 0 || o.Args[i].Op != keyterm.List && o.Args[i].Op != keyterm.Const {
		return o
	}
	u.nested++
	defer func() { u.nested-- }()
	options := o.Args[i].Args
	o.Names = slices.Delete(slices.Clone(o.Names), i, i+1)
	o.Args = slices.Delete(slices.Clone(o.Args), i, i+1)
	for _, opt := range options {
		if opt.Op != keyterm.Func {
			o.Index = 0 // anything may have been set
			for n := range o.Args {
				o.Args[n] = keyterm.Term{}
			}
			return o
		}
		for _, w := range u.writesOf(opt) {
			if n := slices.Index(o.Names, w.Name); n >= 0 {
				o.Args[n] = w.Value
			} else {
				o.Names, o.Args = append(o.Names, w.Name), append(o.Args, w.Value)
			}
		}
	}
	return o
}

// writesOf are the fields of its argument that an option function sets.
func (u *unit) writesOf(opt keyterm.Term) []Named {
	env := keyterm.Env{}
	for i, n := range opt.Names {
		env[n] = opt.Args[i]
	}
	s := u.funcs[opt.Text]
	if fn := u.byName[opt.Text]; fn != nil {
		s = u.summaryOf(fn)
	}
	if s == nil {
		return nil
	}
	var out []Named
	for _, w := range s.Writes {
		out = append(out, Named{w.Name, u.subst(w.Value, env)})
	}
	return out
}
