package lua

import (
	"math"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// eval evaluates an expression to one value.
func (r *run) eval(x ast.Expr, e *env) *value {
	return at(r.evalMulti(x, e), 0)
}

// evalMulti evaluates an expression that may give several values: a call, or "...".
func (r *run) evalMulti(x ast.Expr, e *env) []*value {
	if !r.step() {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		r.giveUp()
		return nil
	}
	switch x := x.(type) {
	case *ast.FuncCallExpr:
		return adjust(r.call(x, e), x.AdjustRet)
	case *ast.Comma3Expr:
		return adjust(r.rest(e), x.AdjustRet)
	}
	return []*value{r.single(x, e)}
}

// adjust cuts a list to one value, as brackets around an expression do.
func adjust(list []*value, one bool) []*value {
	if one {
		return []*value{at(list, 0)}
	}
	return list
}

// rest is the value of "...".
func (r *run) rest(e *env) []*value {
	if s := e.top.find("..."); s != nil {
		return s.rest
	}
	return nil
}

// evalList evaluates expressions; only the last one may give several values.
func (r *run) evalList(list []ast.Expr, e *env) []*value {
	var values []*value
	for i, x := range list {
		if i == len(list)-1 {
			return append(values, r.evalMulti(x, e)...)
		}
		values = append(values, r.eval(x, e))
	}
	return values
}

func (r *run) single(x ast.Expr, e *env) *value {
	switch x := x.(type) {
	case *ast.NilExpr:
		return nilValue
	case *ast.TrueExpr:
		return trueValue
	case *ast.FalseExpr:
		return falseValue
	case *ast.NumberExpr:
		if n, ok := parseNumber(x.Value); ok {
			return numValue(n)
		}
		return r.unknown("number "+x.Value, tNumber)
	case *ast.StringExpr:
		return strValue(x.Value)
	case *ast.IdentExpr:
		return r.name(x.Value, e)
	case *ast.FunctionExpr:
		return r.function(x, e)
	case *ast.TableExpr:
		return r.tableLiteral(x, e)
	case *ast.AttrGetExpr:
		return r.index(r.eval(x.Object, e), r.eval(x.Key, e))
	}
	return r.operation(x, e)
}

func (r *run) operation(x ast.Expr, e *env) *value {
	switch x := x.(type) {
	case *ast.LogicalOpExpr:
		return r.logical(x, e)
	case *ast.RelationalOpExpr:
		return boolValue(r.relation(x, e))
	case *ast.UnaryNotOpExpr:
		return boolValue(!r.truth(x.Expr, e))
	case *ast.StringConcatOpExpr:
		return r.concat(r.eval(x.Lhs, e), r.eval(x.Rhs, e))
	case *ast.ArithmeticOpExpr:
		return r.arithmetic(x.Operator, r.eval(x.Lhs, e), r.eval(x.Rhs, e))
	case *ast.UnaryMinusOpExpr:
		return r.arithmetic("*", r.eval(x.Expr, e), numValue(-1))
	case *ast.UnaryLenOpExpr:
		return r.length(r.eval(x.Expr, e))
	}
	return r.unknown(r.fresh("expr"), tAny)
}

// name reads a variable: a local, a global that the script assigned, or what Redis provides.
func (r *run) name(name string, e *env) *value {
	if s := e.top.find(name); s != nil {
		return s.val
	}
	for _, g := range r.globals {
		if g.name == name {
			return g.val
		}
	}
	if !isGlobal(name) {
		name = r.wrongName(name)
	}
	switch {
	case name == "KEYS":
		return keysValue
	case name == "ARGV":
		return argvValue
	case isGlobal(name) && !contains(extensions, name):
		return libValue(name)
	}
	return r.unknown("global "+name, tAny)
}

// wrongName reports a global that does not exist, and goes on with the one that is meant, if it can be told.
func (r *run) wrongName(name string) string {
	text := "the script reads the global variable " + name + ", which does not exist"
	meant := meantGlobal(name)
	if meant != "" {
		text += "; it is spelled " + meant
	}
	r.rd.faults.add("unknown-global", text)
	if meant == "" {
		r.fail() // as in Redis
		return name
	}
	r.broken = true
	return meant
}

func (r *run) function(fn *ast.FunctionExpr, e *env) *value {
	return &value{kind: kFunc, typ: tFunction, id: "function", fn: &closure{fn, e.top}}
}

func (r *run) tableLiteral(x *ast.TableExpr, e *env) *value {
	t := &table{}
	for i, f := range x.Fields {
		switch {
		case f.Key != nil:
			r.store(tableValue(t), r.eval(f.Key, e), r.eval(f.Value, e))
		case i == len(x.Fields)-1:
			for _, v := range r.evalMulti(f.Value, e) {
				t.push(v)
			}
		default:
			t.push(r.eval(f.Value, e))
		}
	}
	return tableValue(t)
}

// index reads object[key].
func (r *run) index(object, key *value) *value {
	switch object.kind {
	case kKeys, kArgv:
		return r.parameter(object, key)
	case kTable:
		return r.indexTable(object, key)
	case kLib:
		if key.kind == kStr && isLibrary(object.str) {
			return libValue(object.str + "." + key.str)
		}
	case kNil, kBool, kNum:
		r.fail()
		return nilValue
	case kStr, kRead, kCat, kKey, kArg:
		if key.kind == kStr && object.typ == tString {
			return stringMember(key.str)
		}
	}
	return r.unknown(object.id+"["+key.id+"]", tAny, object, key)
}

// stringMember is what indexing a string gives: a function of the string library, or nil.
func stringMember(name string) *value {
	if contains(stringFunctions, name) {
		return libValue("string." + name)
	}
	return nilValue
}

// parameter reads KEYS[key] or ARGV[key].
func (r *run) parameter(list, key *value) *value {
	if key.kind == kStr {
		return nilValue
	}
	index := key.id
	if key.kind == kNum {
		if key.num < 1 {
			r.rd.faults.add("key-index-zero", "the script reads "+list.id+"["+numText(key.num)+"]; the first one is "+list.id+"[1]")
			return nilValue
		}
		if key.num != math.Trunc(key.num) || key.num > 1e6 {
			return nilValue
		}
		index = strconv.Itoa(int(key.num))
	}
	r.rd.noteRead(list.kind, key)
	if list.kind == kKeys {
		return keyValue(index)
	}
	return argValue(index)
}

// noteRead remembers which indexes a script reads.
func (rd *reader) noteRead(list kind, key *value) {
	switch {
	case key.kind != kNum:
		rd.dynamic = true
	case list == kKeys:
		rd.keys = addIndex(rd.keys, int(key.num))
	default:
		rd.args = addIndex(rd.args, int(key.num))
	}
}

// noteOptional remembers that the script asks whether a parameter was passed.
func (rd *reader) noteOptional(v *value) {
	index, err := strconv.Atoi(v.str)
	if err != nil {
		return
	}
	switch v.kind {
	case kKey:
		rd.optionalKeys = addIndex(rd.optionalKeys, index)
	case kArg:
		rd.optionalArgs = addIndex(rd.optionalArgs, index)
	}
}

func addIndex(list []int, n int) []int {
	for _, old := range list {
		if old == n {
			return list
		}
	}
	return append(list, n)
}

func (r *run) indexTable(object, key *value) *value {
	t := object.tab
	switch key.kind {
	case kStr:
		if v := t.field(key.str); v != nil {
			return v
		}
	case kNum:
		if i := int(key.num); float64(i) == key.num && i >= 1 && i <= len(t.arr) {
			return t.arr[i-1]
		}
	default:
		return r.unknown(r.fresh("element"), tAny, object, key)
	}
	if t.open {
		return r.unknown(r.fresh("element"), tAny, object)
	}
	return nilValue
}

// logical evaluates "and" and "or": the second operand only if the first one asks for it.
func (r *run) logical(x *ast.LogicalOpExpr, e *env) *value {
	left := r.eval(x.Lhs, e)
	if r.truthOf(left) == (x.Operator == "and") {
		return r.eval(x.Rhs, e)
	}
	if x.Operator == "and" && !left.isConst() {
		return falseOf(left)
	}
	return left
}

// falseOf is what an unknown value is that turned out not to be true.
func falseOf(v *value) *value {
	if v.optional {
		return nilValue
	}
	return falseValue
}

// truth evaluates a condition.
func (r *run) truth(x ast.Expr, e *env) bool {
	if not, ok := x.(*ast.UnaryNotOpExpr); ok {
		r.depth++
		defer func() { r.depth-- }()
		if r.depth > maxDepth {
			r.giveUp()
		}
		return r.step() && !r.truth(not.Expr, e)
	}
	return r.truthOf(r.eval(x, e))
}

// truthOf says whether a value counts as true, and splits the path if that is open.
func (r *run) truthOf(v *value) bool {
	switch v.kind {
	case kNil:
		return false
	case kBool:
		return v.num != 0
	case kNum:
		return r.truthOfNumber(v)
	case kKey, kArg:
		r.rd.noteOptional(v)
		return r.choose(atom{class: cShape, id: "true " + v.id, val: v, src: v.src})
	case kRead:
		if !v.optional {
			return true
		}
	case kUnknown:
		if v.typ != tAny && v.typ != tBool && v.typ != tNil && !v.optional {
			return true
		}
	default:
		return true
	}
	return r.choose(atom{id: "true " + v.id, src: v.src})
}

// truthOfNumber is always true in Lua, also for the 0 with which Redis says no.
func (r *run) truthOfNumber(v *value) bool {
	if !v.reply {
		return true
	}
	r.rd.never.add("zero-is-true", "a reply of 0 or 1 is tested for truth, but 0 counts as true in Lua: compare it with 1")
	return !r.rd.meant || v.num != 0
}

// concat joins two strings.
func (r *run) concat(a, b *value) *value {
	if a.kind == kNil || b.kind == kNil || a.kind == kBool || b.kind == kBool {
		r.fail()
		return nilValue
	}
	parts := mergeConstants(append(catParts(a), catParts(b)...))
	if len(parts) == 1 {
		return parts[0]
	}
	id := parts[0].id
	for _, p := range parts[1:] {
		id += ".." + p.id
	}
	if len(parts) > maxParts || len(id) > maxIDLen {
		return r.unknown(r.fresh("concat"), tString, a, b)
	}
	return &value{kind: kCat, typ: tString, id: id, parts: parts, src: sources(parts...)}
}

// catParts is what a value contributes to a concatenation.
func catParts(v *value) []*value {
	if v.kind == kCat {
		return append([]*value(nil), v.parts...)
	}
	if s, ok := v.text(); ok {
		return []*value{strValue(s)}
	}
	return []*value{v}
}

// mergeConstants joins constants that stand next to each other, and drops empty ones next to others.
func mergeConstants(parts []*value) []*value {
	out := parts[:0]
	for _, p := range parts {
		last := len(out) - 1
		switch {
		case last >= 0 && p.kind == kStr && out[last].kind == kStr:
			out[last] = strValue(out[last].str + p.str)
		case last >= 0 && p.kind == kStr && p.str == "":
		case last >= 0 && out[last].kind == kStr && out[last].str == "":
			out[last] = p
		default:
			out = append(out, p)
		}
	}
	return out
}

// length is the # operator.
func (r *run) length(v *value) *value {
	switch v.kind {
	case kKeys, kArgv:
		r.rd.dynamic = true
	case kTable:
		if !v.tab.open {
			return numValue(float64(len(v.tab.arr)))
		}
	case kStr:
		return numValue(float64(len(v.str)))
	case kNil, kBool, kNum:
		r.fail()
	}
	return r.unknown("#"+v.id, tNumber, v)
}

// arithmetic computes constants, follows an argument times, by and plus constants, and gives up on the rest.
func (r *run) arithmetic(op string, a, b *value) *value {
	if a.kind == kNil || b.kind == kNil || a.kind == kBool || b.kind == kBool || a.kind == kTable || b.kind == kTable {
		r.fail()
		return nilValue
	}
	x, okx := a.asNumber()
	y, oky := b.asNumber()
	switch {
	case okx && oky:
		return numValue(compute(op, x, y))
	case oky && a.kind == kArg:
		if v := linear(op, a, y); v != nil {
			return v
		}
	case okx && b.kind == kArg && (op == "+" || op == "*"):
		if v := linear(op, b, x); v != nil {
			return v
		}
	}
	return r.unknown("("+a.id+op+b.id+")", tNumber, a, b)
}

func compute(op string, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "%":
		return x - math.Floor(x/y)*y
	case "^":
		return math.Pow(x, y)
	}
	return math.NaN()
}

// linear applies one operation with a whole constant to an argument, nil if the result is no longer a simple form.
func linear(op string, arg *value, n float64) *value {
	k := int64(n)
	if float64(k) != n || k > 1e9 || k < -1e9 {
		return nil
	}
	mul, div, add := arg.mul, arg.div, arg.add
	switch {
	case op == "+":
		add += k
	case op == "-":
		add -= k
	case op == "*" && k != 0:
		mul, add = mul*k, add*k
	case op == "/" && k != 0 && add == 0:
		div *= k
	default:
		return nil
	}
	return linearValue(arg, mul, div, add)
}

// linearValue is the argument as a number, times mul, by div, plus add.
func linearValue(arg *value, mul, div, add int64) *value {
	if g := gcd(mul, div); g > 1 {
		mul, div = mul/g, div/g
	}
	if max(mul, -mul, div, -div, add, -add) > 1e15 {
		return nil
	}
	v := argValue(arg.str)
	v.typ, v.optional = tNumber, false
	v.mul, v.div, v.add = mul, div, add
	v.id = "num(" + v.id + "*" + strconv.FormatInt(mul, 10) + "/" + strconv.FormatInt(div, 10) + "+" + strconv.FormatInt(add, 10) + ")"
	return v
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
