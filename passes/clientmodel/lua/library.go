package lua

import (
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// call evaluates a call.
func (r *run) call(x *ast.FuncCallExpr, e *env) []*value {
	var fn *value
	var args []*value
	if x.Receiver != nil {
		receiver := r.eval(x.Receiver, e)
		fn = r.index(receiver, strValue(x.Method))
		args = append(args, receiver)
	} else {
		fn = r.eval(x.Func, e)
	}
	args = append(args, r.evalList(x.Args, e)...)
	if r.ended {
		return nil
	}
	if x.Receiver == nil && fn.kind == kUnknown {
		r.rd.unknown = true // perhaps a function of the script, out of a table
	}
	return r.apply(r.site(x), fn, args)
}

// apply calls a function value.
func (r *run) apply(site string, fn *value, args []*value) []*value {
	switch fn.kind {
	case kFunc:
		return r.enter(site, fn.fn, args)
	case kLib:
		return r.library(site, fn.str, args)
	case kNil, kBool, kNum, kStr:
		r.fail()
		return nil
	}
	r.noteClosures(args)
	return []*value{r.unknown(r.fresh("call"), tAny, append(args, fn)...)}
}

// noteClosures says that something is unknown if a function of the script is handed to one that is not known.
func (r *run) noteClosures(args []*value) {
	for _, a := range args {
		if a.kind == kFunc {
			r.rd.unknown = true
		}
	}
}

// enter executes a function of the script.
func (r *run) enter(site string, fn *closure, args []*value) []*value {
	if r.nested >= maxCalls {
		r.rd.unknown = true
		return []*value{r.unknown(r.fresh("recursion"), tAny, args...)}
	}
	outer, saved := r.calls, r.ret
	r.calls, r.ret = site, nil
	r.nested++
	e := &env{top: fn.scope}
	bind(e, fn.fn.ParList, args)
	if r.stmts(fn.fn.Stmts, e) != leaveFunction {
		r.ret = nil
	}
	result := r.ret
	r.nested--
	r.calls, r.ret = outer, saved
	return result
}

// bind declares the parameters of a function.
func bind(e *env, list *ast.ParList, args []*value) {
	if list == nil {
		return
	}
	for i, name := range list.Names {
		e.declare(name, at(args, i))
	}
	if list.HasVargs {
		e.declare("...", nilValue)
		e.top.rest = args[min(len(args), len(list.Names)):]
	}
}

// library calls a function that Redis or Lua provides.
func (r *run) library(site, name string, args []*value) []*value {
	name = strings.Replace(name, "server.", "redis.", 1)
	switch name {
	case "redis.call", "redis.pcall":
		return []*value{r.command(site, args)}
	case "unpack", "table.unpack":
		return r.unpack(at(args, 0))
	case "pcall":
		return append([]*value{trueValue}, r.apply(site, at(args, 0), args[min(1, len(args)):])...)
	case "xpcall":
		return append([]*value{trueValue}, r.apply(site, at(args, 0), nil)...)
	case "assert":
		if !r.truthOf(at(args, 0)) {
			r.fail()
		}
		return args
	case "error":
		r.fail()
		return nil
	case "select":
		return r.selectArgs(args)
	}
	return []*value{r.function1(name, args)}
}

// function1 calls a library function that gives one value.
func (r *run) function1(name string, args []*value) *value {
	first := at(args, 0)
	switch name {
	case "tonumber":
		return r.toNumber(args)
	case "tostring":
		return r.toString(first)
	case "type":
		return r.typeOf(first)
	case "ipairs", "pairs":
		v := r.unknown(r.fresh(name), tAny, first)
		v.parts = []*value{first}
		return v
	case "math.floor", "math.ceil":
		return r.round1(name, first)
	case "string.format":
		return r.format(args)
	case "string.lower", "string.upper":
		return r.changeCase(name, first)
	case "table.insert":
		return r.insert(args)
	case "table.concat":
		return r.join(args)
	case "table.getn":
		return r.length(first)
	case "redis.status_reply":
		if s, ok := first.text(); ok {
			return statusValue("ok", s)
		}
		return r.unknown(r.fresh("status"), tAny, args...)
	case "redis.error_reply":
		return statusValue("err", "")
	case "redis.setresp":
		r.rd.resp3 = true
		return nilValue
	}
	r.noteClosures(args)
	if name == "math.random" || strings.HasPrefix(name, "os.") {
		return r.unknown(r.fresh(name), tNumber) // another number each time
	}
	return r.unknown(name+"("+ids(args)+")", resultType(name), args...)
}

// ids joins the canonical texts of values.
func ids(args []*value) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a.id
		if a.kind == kTable {
			list[i] += strconv.Itoa(len(a.tab.arr)) + strings.Join(a.tab.sources(), ",")
		}
	}
	return strings.Join(list, ",")
}

// resultType is the type of what a library function returns, if it is always the same.
func resultType(name string) luaType {
	switch name {
	case "string.sub", "string.rep", "string.reverse", "string.char", "cjson.encode", "cmsgpack.pack", "struct.pack",
		"redis.sha1hex", "bit.tohex":
		return tString
	case "string.len", "os.time", "os.clock":
		return tNumber
	}
	if strings.HasPrefix(name, "math.") || strings.HasPrefix(name, "bit.") {
		return tNumber
	}
	return tAny
}

// unpack lists the elements of a table. Of KEYS and ARGV it gives one that stands for each.
func (r *run) unpack(v *value) []*value {
	switch v.kind {
	case kKeys:
		r.rd.dynamic = true
		return []*value{all(keyValue(eachKey))}
	case kArgv:
		r.rd.dynamic = true
		return []*value{all(argValue(eachArg)), r.unknown(r.fresh("rest"), tAny, argValue(eachArg))}
	case kTable:
		return v.tab.arr
	case kNil, kBool, kNum:
		r.fail()
		return nil
	}
	return []*value{r.unknown(r.fresh("unpacked"), tAny, v)}
}

// all marks a parameter that stands for all of its list at once.
func all(v *value) *value {
	v.many = true
	return v
}

func (r *run) selectArgs(args []*value) []*value {
	which := at(args, 0)
	if which.kind == kStr && which.str == "#" {
		return []*value{numValue(float64(len(args) - 1))}
	}
	if n := int(which.num); which.kind == kNum && n >= 1 {
		return args[min(n, len(args)):]
	}
	return []*value{r.unknown(r.fresh("select"), tAny, args...)}
}

func (r *run) toNumber(args []*value) *value {
	v := at(args, 0)
	if len(args) > 1 {
		return r.unknown(r.fresh("number"), tAny, args...)
	}
	if n, ok := v.asNumber(); ok {
		return numValue(n)
	}
	switch {
	case v.isConst() || v.kind == kTable:
		return noNumber
	case v.typ == tNumber && !v.optional:
		return v
	case v.kind == kArg:
		return r.argNumber(v)
	case v.kind == kRead:
		read := *v
		read.typ, read.id, read.optional = tNumber, "num("+v.id+")", true // nil for what is no number
		return &read
	}
	n := r.unknown("num("+v.id+")", tNumber, v)
	n.optional = v.kind != kUnknown || v.typ != tNumber
	return n
}

// argNumber is an argument as a number. If the argument is not there, it is nil.
func (r *run) argNumber(v *value) *value {
	n := linearValue(v, 1, 1, 0)
	n.optional = true
	return n
}

func (r *run) toString(v *value) *value {
	if s, ok := v.text(); ok {
		return strValue(s)
	}
	switch {
	case v.kind == kNil || v.kind == kBool:
		return strValue(v.id)
	case v.typ == tString:
		return v
	}
	return r.unknown("str("+v.id+")", tString, v)
}

// typeOf is the name of a value's type, as far as it is certain.
func (r *run) typeOf(v *value) *value {
	if v.typ == tAny || v.optional {
		return r.unknown("type("+v.id+")", tString, v)
	}
	return strValue(typeNames[v.typ])
}

// round1 rounds. An argument stays what it is: a TTL that loses its fraction is the same TTL.
func (r *run) round1(name string, v *value) *value {
	if n, ok := v.asNumber(); ok {
		if name == "math.ceil" {
			n = -compute("-", -n, compute("%", -n, 1))
			return numValue(n)
		}
		return numValue(compute("-", n, compute("%", n, 1)))
	}
	switch {
	case v.kind == kArg && v.typ == tNumber:
		return v
	case v.kind == kArg:
		return linearValue(v, 1, 1, 0)
	}
	return r.unknown(name+"("+v.id+")", tNumber, v)
}

func (r *run) changeCase(name string, v *value) *value {
	s, ok := v.text()
	switch {
	case ok && name == "string.lower":
		return strValue(strings.ToLower(s))
	case ok:
		return strValue(strings.ToUpper(s))
	}
	return r.unknown(name+"("+v.id+")", tString, v)
}

// insert is table.insert. At a position other than the end the order is no longer known.
func (r *run) insert(args []*value) *value {
	target := at(args, 0)
	if target.kind != kTable {
		return nilValue
	}
	t := target.tab
	t.open = t.open || r.loops > 0 || len(args) != 2
	t.push(args[len(args)-1])
	return nilValue
}

// join is table.concat.
func (r *run) join(args []*value) *value {
	list, separator := at(args, 0), at(args, 1)
	if list.kind != kTable || list.tab.open || len(list.tab.arr) == 0 || len(args) > 2 {
		return r.unknown(r.fresh("join"), tString, args...)
	}
	result := list.tab.arr[0]
	for _, v := range list.tab.arr[1:] {
		if separator.kind != kNil {
			result = r.concat(result, separator)
		}
		result = r.concat(result, v)
	}
	return result
}

// format is string.format, for formats of plain %s and %d.
func (r *run) format(args []*value) *value {
	layout, ok := at(args, 0).text()
	if !ok {
		return r.unknown(r.fresh("format"), tString, args...)
	}
	result, rest := strValue(""), args[1:]
	for layout != "" {
		text, after, found := strings.Cut(layout, "%")
		result = r.concat(result, strValue(text))
		if !found {
			return result
		}
		if after == "" || !strings.Contains("sd%", after[:1]) || after[0] != '%' && len(rest) == 0 {
			return r.unknown(r.fresh("format"), tString, args...)
		}
		if after[0] == '%' {
			result = r.concat(result, strValue("%"))
		} else {
			result, rest = r.concat(result, r.toString(rest[0])), rest[1:]
		}
		layout = after[1:]
	}
	return result
}
