package lua

import (
	"slices"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// flow says how a statement ended.
type flow uint8

const (
	goOn flow = iota
	leaveLoop
	leaveFunction
)

// env is the innermost scope while a block is executed. frames are linked, so a closure sees the variables that were
// declared before it and not later ones of the same name.
type env struct{ top *scope }

// scope is one local variable and what is around it.
type scope struct {
	name   string
	val    *value
	rest   []*value // of "...", the variable arguments
	parent *scope
}

func (e *env) declare(name string, v *value) {
	e.top = &scope{name: name, val: v, parent: e.top}
}

func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.parent {
		if s.name == name {
			return s
		}
	}
	return nil
}

// block executes statements in a scope of their own.
func (r *run) block(stmts []ast.Stmt, outer *env) flow {
	return r.stmts(stmts, &env{top: outer.top})
}

// stmts executes statements in the given scope.
func (r *run) stmts(stmts []ast.Stmt, e *env) flow {
	for _, s := range stmts {
		if !r.step() {
			return leaveFunction
		}
		if f := r.nestedStmt(s, e); f != goOn {
			return f
		}
	}
	return goOn
}

// nestedStmt bounds how deep statements are nested.
func (r *run) nestedStmt(s ast.Stmt, e *env) flow {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		r.giveUp()
		return leaveFunction
	}
	return r.stmt(s, e)
}

func (r *run) stmt(s ast.Stmt, e *env) flow {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		r.local(s, e)
	case *ast.AssignStmt:
		r.assignAll(s, e)
	case *ast.FuncCallStmt:
		r.evalMulti(s.Expr, e)
	case *ast.FuncDefStmt:
		r.define(s, e)
	case *ast.DoBlockStmt:
		return r.block(s.Stmts, e)
	case *ast.IfStmt:
		if r.truth(s.Condition, e) {
			return r.block(s.Then, e)
		}
		return r.block(s.Else, e)
	case *ast.ReturnStmt:
		r.ret = r.evalList(s.Exprs, e)
		return leaveFunction
	case *ast.BreakStmt:
		return leaveLoop
	case *ast.GotoStmt, *ast.LabelStmt:
		r.giveUp() // not Lua 5.1
	default:
		return r.loop(s, e)
	}
	return goOn
}

// local declares variables. The values are evaluated first, but a function sees its own name.
func (r *run) local(s *ast.LocalAssignStmt, e *env) {
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if fn, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			e.declare(s.Names[0], nilValue)
			e.top.val = r.function(fn, e)
			return
		}
	}
	values := r.evalList(s.Exprs, e)
	for i, name := range s.Names {
		e.declare(name, at(values, i))
	}
}

// assignAll evaluates all values before it stores any, as in a, b = b, a.
func (r *run) assignAll(s *ast.AssignStmt, e *env) {
	values := r.evalList(s.Rhs, e)
	for i, target := range s.Lhs {
		r.assign(target, at(values, i), e)
	}
}

func (r *run) assign(target ast.Expr, v *value, e *env) {
	switch t := target.(type) {
	case *ast.IdentExpr:
		if s := e.top.find(t.Value); s != nil {
			s.val = v
			return
		}
		r.setGlobal(t.Value, v)
	case *ast.AttrGetExpr:
		r.store(r.eval(t.Object, e), r.eval(t.Key, e), v)
	}
}

// setGlobal stores a global variable. Redis refuses that in a script.
func (r *run) setGlobal(name string, v *value) {
	r.rd.faults.add("global-write", "the script assigns the global variable "+name+", which Redis refuses; declare it local")
	r.broken = true
	for i := range r.globals {
		if r.globals[i].name == name {
			r.globals[i].val = v
			return
		}
	}
	if len(r.globals) < maxTable {
		r.globals = append(r.globals, field{name, v})
	}
}

// store puts a value into a table.
func (r *run) store(object, key, v *value) {
	if object.kind == kNil || object.kind == kBool || object.kind == kNum {
		r.fail()
		return
	}
	if object.kind != kTable {
		return
	}
	t := object.tab
	t.open = t.open || r.loops > 0
	switch {
	case key.kind == kStr:
		t.setField(key.str, v)
	case key.kind == kNum && key.num == float64(len(t.arr)+1):
		t.push(v)
	case key.kind == kNum && key.num >= 1 && key.num <= float64(len(t.arr)):
		t.arr[int(key.num)-1] = v
	default:
		t.open = true
		t.push(v)
	}
}

// define executes "function name() ... end", which assigns a global unless the name is a local.
func (r *run) define(s *ast.FuncDefStmt, e *env) {
	fn := r.function(s.Func, e)
	if s.Name == nil || s.Name.Func == nil {
		r.rd.unknown = true // a method; scripts have none
		return
	}
	r.assign(s.Name.Func, fn, e)
}

// loop executes a loop. A loop of few known rounds is unrolled. Of any other the body is executed once, standing for
// all rounds: what it assigns is unknown before and after.
func (r *run) loop(s ast.Stmt, e *env) flow {
	switch s := s.(type) {
	case *ast.NumberForStmt:
		return r.numberFor(s, e)
	case *ast.GenericForStmt:
		return r.genericFor(s, e)
	case *ast.WhileStmt:
		return r.round(s.Stmts, e, func(inner *env) flow {
			if !r.truth(s.Condition, inner) {
				return goOn
			}
			return r.block(s.Stmts, inner)
		})
	case *ast.RepeatStmt:
		return r.round(s.Stmts, e, func(inner *env) flow {
			f := r.stmts(s.Stmts, inner)
			if f == goOn {
				r.truth(s.Condition, inner)
			}
			return f
		})
	}
	r.giveUp()
	return leaveFunction
}

// round executes one round that stands for all.
func (r *run) round(stmts []ast.Stmt, e *env, body func(*env) flow) flow {
	names := assigned(stmts, nil, 0)
	r.rd.steps -= len(names)
	before := r.widen(names, e, nil)
	r.loops++
	f := body(&env{top: e.top})
	r.loops--
	r.widen(names, e, before)
	if f == leaveLoop {
		return goOn
	}
	return f
}

// widen makes the named variables unknown, and returns what they were. A variable keeps its type if it has the same
// one as in the values of an earlier widening.
func (r *run) widen(names []string, e *env, earlier []*value) []*value {
	var was []*value
	for i, name := range names {
		s := e.top.find(name)
		if s == nil {
			was = append(was, nilValue)
			continue
		}
		was = append(was, s.val)
		typ, from := s.val.typ, []*value{s.val}
		if earlier != nil {
			from = append(from, earlier[i])
			if earlier[i].typ != typ {
				typ = tAny
			}
		}
		if typ == tNil || typ == tTable || typ == tFunction {
			typ = tAny
		}
		s.val = r.unknown(r.fresh("loop"), typ, from...)
	}
	return was
}

// assigned lists the variables that statements assign, each once.
func assigned(stmts []ast.Stmt, names []string, depth int) []string {
	if depth > maxDepth {
		return names
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, target := range s.Lhs {
				if id, ok := target.(*ast.IdentExpr); ok && !slices.Contains(names, id.Value) && len(names) < maxTable {
					names = append(names, id.Value)
				}
			}
		case *ast.IfStmt:
			names = assigned(s.Else, assigned(s.Then, names, depth+1), depth+1)
		case *ast.DoBlockStmt:
			names = assigned(s.Stmts, names, depth+1)
		case *ast.WhileStmt:
			names = assigned(s.Stmts, names, depth+1)
		case *ast.RepeatStmt:
			names = assigned(s.Stmts, names, depth+1)
		case *ast.NumberForStmt:
			names = assigned(s.Stmts, names, depth+1)
		case *ast.GenericForStmt:
			names = assigned(s.Stmts, names, depth+1)
		}
	}
	return names
}

// maxUnroll is the number of rounds up to which a loop is unrolled.
const maxUnroll = 8

func (r *run) numberFor(s *ast.NumberForStmt, e *env) flow {
	first, limit, step := r.eval(s.Init, e), r.eval(s.Limit, e), numValue(1)
	if s.Step != nil {
		step = r.eval(s.Step, e)
	}
	if indexes, ok := rounds(first, limit, step); ok {
		return r.unroll(s.Stmts, []string{s.Name}, indexes, e)
	}
	index := r.unknown(indexID(first, limit, r), tNumber, first, limit)
	if !isEach(index.id) && !r.choose(atom{id: "enter " + limit.id + r.calls, src: index.src}) {
		return goOn
	}
	return r.round(s.Stmts, e, func(inner *env) flow {
		inner.declare(s.Name, index)
		return r.block(s.Stmts, inner)
	})
}

// rounds lists the values of a loop variable if they are few and known.
func rounds(first, limit, step *value) ([][]*value, bool) {
	if first.kind != kNum || limit.kind != kNum || step.kind != kNum || step.num == 0 {
		return nil, false
	}
	var list [][]*value
	for n := first.num; step.num > 0 && n <= limit.num || step.num < 0 && n >= limit.num; n += step.num {
		if len(list) == maxUnroll {
			return nil, false
		}
		list = append(list, []*value{numValue(n)})
	}
	return list, true
}

// eachKey and eachArg are the ids of an index that runs over all of KEYS or ARGV. They are the same in every loop:
// a test of each key in one loop holds for each key in the next.
const (
	eachKey = "each"
	eachArg = "eacharg"
)

func isEach(id string) bool { return id == eachKey || id == eachArg }

func indexID(first, limit *value, r *run) string {
	if first.kind == kNum && first.num == 1 {
		switch limit.id {
		case "#KEYS":
			return eachKey
		case "#ARGV":
			return eachArg
		}
	}
	return r.fresh("i")
}

// unroll executes the body once for each list of loop variables.
func (r *run) unroll(stmts []ast.Stmt, names []string, rows [][]*value, e *env) flow {
	outer := r.calls
	defer func() { r.calls = outer }()
	for i, row := range rows {
		r.calls = outer + "/r" + strconv.Itoa(i)
		inner := &env{top: e.top}
		for j, name := range names {
			inner.declare(name, at(row, j))
		}
		switch f := r.block(stmts, inner); f {
		case leaveLoop:
			return goOn
		case leaveFunction:
			return f
		}
	}
	return goOn
}

func (r *run) genericFor(s *ast.GenericForStmt, e *env) flow {
	iterator := at(r.evalList(s.Exprs, e), 0)
	if rows, ok := elements(iterator); ok {
		return r.unroll(s.Stmts, s.Names, rows, e)
	}
	row, certain := r.element(iterator)
	if !certain && !r.choose(atom{id: "enter " + iterator.id + r.calls, src: iterator.src}) {
		return goOn
	}
	return r.round(s.Stmts, e, func(inner *env) flow {
		for i, name := range s.Names {
			inner.declare(name, at(row, i))
		}
		return r.block(s.Stmts, inner)
	})
}

// elements lists index and element of a table that is known whole.
func elements(iterator *value) ([][]*value, bool) {
	if len(iterator.parts) != 1 || iterator.parts[0].kind != kTable {
		return nil, false
	}
	t := iterator.parts[0].tab
	if t.open || len(t.arr) > maxUnroll || len(t.fields) > 0 {
		return nil, false
	}
	var rows [][]*value
	for i, v := range t.arr {
		rows = append(rows, []*value{numValue(float64(i + 1)), v})
	}
	return rows, true
}

// element makes index and element for a loop whose body stands for all rounds. It reports whether there is at least one.
func (r *run) element(iterator *value) ([]*value, bool) {
	if len(iterator.parts) == 1 {
		switch over := iterator.parts[0]; over.kind {
		case kKeys:
			r.rd.dynamic = true
			return []*value{r.unknown(eachKey, tNumber), keyValue(eachKey)}, true
		case kArgv:
			r.rd.dynamic = true
			return []*value{r.unknown(eachArg, tNumber), argValue(eachArg)}, true
		}
	}
	id := r.fresh("element")
	return []*value{r.unknown(id+".i", tAny, iterator), r.unknown(id+".v", tAny, iterator)}, false
}

// at is the i-th value of a list, nil past its end.
func at(list []*value, i int) *value {
	if i < len(list) {
		return list[i]
	}
	return nilValue
}
