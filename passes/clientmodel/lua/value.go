package lua

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// kind is the kind of a symbolic value.
type kind uint8

const (
	kNil kind = iota
	kBool
	kNum
	kStr
	kKey     // KEYS[str]
	kArg     // ARGV[str], as a number if typ is tNumber, then times mul, by div, plus add
	kRead    // the value read from a key, or from a field of a hash
	kCat     // parts, concatenated
	kTable   // tab
	kFunc    // fn, a function of the script
	kLib     // str, a library or one of its functions
	kKeys    // the table KEYS
	kArgv    // the table ARGV
	kUnknown // anything else
)

// luaType is what Lua's type() says, as far as it is certain.
type luaType uint8

const (
	tAny luaType = iota
	tNil
	tBool
	tNumber
	tString
	tTable
	tFunction
)

var typeNames = [...]string{"", "nil", "boolean", "number", "string", "table", "function"}

// value is a symbolic value. It does not change once made; only tables do.
type value struct {
	kind kind
	typ  luaType
	// id is a canonical text: two values with the same id are equal.
	id  string
	str string
	num float64
	// mul, div and add make a number of an argument.
	mul, div, add int64
	parts         []*value
	tab           *table
	fn            *closure
	// src tells what the value was computed from: "v:KEY" the value of a key, "c:KEY" a count kept in a hash, "t:KEY" a
	// TTL, "a" an argument, "k" a name of a key.
	src []string
	// key is, for a value that was read, the id of the key.
	key string
	// missing is true for the false that Redis answers where there is nothing.
	missing bool
	// many is true for an element that stands for all of KEYS or ARGV in one list of arguments.
	many bool
	// reply is true for a number that Redis answered with 0 for no and 1 for yes.
	reply bool
	// positive is true for a count that starts at one.
	positive bool
	// optional is true where the value may be nil: KEYS and ARGV that were not passed.
	optional bool
}

// table is a Lua table. Only constant keys are followed.
type table struct {
	arr    []*value
	fields []field
	// open is true where there may be more in it than is known.
	open bool
}

type field struct {
	name string
	val  *value
}

// closure is a function of the script, with the scope that it was made in.
type closure struct {
	fn    *ast.FunctionExpr
	scope *scope
}

const (
	maxIDLen  = 240
	maxStrLen = 4096
	maxParts  = 16
	maxSrc    = 12
	maxTable  = 128
)

var (
	nilValue   = &value{kind: kNil, typ: tNil, id: "nil"}
	trueValue  = &value{kind: kBool, typ: tBool, id: "true", num: 1}
	falseValue = &value{kind: kBool, typ: tBool, id: "false"}
	// missingValue is the false that Redis answers for a key or field that is not there.
	missingValue = &value{kind: kBool, typ: tBool, id: "false", missing: true}
	// noNumber is the nil that tonumber gives for what is none.
	noNumber  = &value{kind: kNil, typ: tNil, id: "nil", missing: true}
	keysValue = &value{kind: kKeys, typ: tTable, id: "KEYS"}
	argvValue = &value{kind: kArgv, typ: tTable, id: "ARGV"}
)

func boolValue(b bool) *value {
	if b {
		return trueValue
	}
	return falseValue
}

func numValue(n float64) *value {
	return &value{kind: kNum, typ: tNumber, id: numText(n), num: n}
}

// numText writes a number as Lua's %.14g does.
func numText(n float64) string { return strconv.FormatFloat(n, 'g', 14, 64) }

func strValue(s string) *value {
	if len(s) > maxStrLen {
		return &value{kind: kUnknown, typ: tString, id: "long:" + s[:64] + strconv.Itoa(len(s))}
	}
	return &value{kind: kStr, typ: tString, id: strconv.Quote(s), str: s}
}

func libValue(name string) *value {
	return &value{kind: kLib, typ: libType(name), id: name, str: name}
}

// libType is table for a library and function for what is in it. Constants such as redis.LOG_NOTICE are not told apart.
func libType(name string) luaType {
	if strings.Contains(name, ".") || !isLibrary(name) {
		return tFunction
	}
	return tTable
}

func keyValue(index string) *value {
	id := "KEYS[" + index + "]"
	return &value{kind: kKey, typ: tString, id: id, str: index, src: []string{"k"}, optional: true}
}

func argValue(index string) *value {
	id := "ARGV[" + index + "]"
	return &value{kind: kArg, typ: tString, id: id, str: index, mul: 1, div: 1, src: []string{"a"}, optional: true}
}

// tableValue makes a value of a table. The id is not compared: tables are equal by identity, which is not followed.
func tableValue(t *table) *value {
	return &value{kind: kTable, typ: tTable, id: "{}", tab: t}
}

// statusValue is the table that Redis makes of a status or error reply: one field, ok or err.
func statusValue(name, text string) *value {
	return tableValue(&table{fields: []field{{name, strValue(text)}}})
}

// field is the named field of a table, nil if there is none.
func (t *table) field(name string) *value {
	for _, f := range t.fields {
		if f.name == name {
			return f.val
		}
	}
	return nil
}

// setField stores a named field.
func (t *table) setField(name string, v *value) {
	for i := range t.fields {
		if t.fields[i].name == name {
			t.fields[i].val = v
			return
		}
	}
	if len(t.fields) >= maxTable {
		t.open = true
		return
	}
	t.fields = append(t.fields, field{name, v})
}

// push appends to the array part.
func (t *table) push(v *value) {
	if len(t.arr) >= maxTable {
		t.open = true
		return
	}
	t.arr = append(t.arr, v)
}

// status is the text of a status reply, "" for any other value.
func (v *value) status() string {
	if v.kind != kTable || len(v.tab.arr) > 0 || len(v.tab.fields) != 1 || v.tab.fields[0].name != "ok" {
		return ""
	}
	return v.tab.fields[0].val.str
}

func (v *value) isConst() bool {
	return v.kind == kNil || v.kind == kBool || v.kind == kNum || v.kind == kStr
}

// depends reports whether the value was computed from something whose tag starts so.
func (v *value) depends(prefix string) bool {
	return slices.ContainsFunc(v.src, func(s string) bool { return strings.HasPrefix(s, prefix) })
}

// isParameter reports whether a value was computed from what the caller passes.
func (v *value) isParameter() bool { return v.depends("a") || v.depends("k") }

// sources joins what values were computed from, sorted and capped.
func sources(values ...*value) []string {
	var all []string
	for _, v := range values {
		all = append(all, v.src...)
		if v.kind == kTable {
			all = append(all, v.tab.sources()...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxSrc)]
}

// sources is what the direct elements of a table were computed from.
func (t *table) sources() []string {
	var all []string
	for _, v := range t.arr {
		all = append(all, v.src...)
	}
	for _, f := range t.fields {
		all = append(all, f.val.src...)
	}
	return all
}

// asNumber is the number that a constant stands for.
func (v *value) asNumber() (float64, bool) {
	switch v.kind {
	case kNum:
		return v.num, true
	case kStr:
		return parseNumber(v.str)
	}
	return 0, false
}

// parseNumber reads a number as Lua does.
func parseNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "_pPnN") {
		return 0, false // digits grouped, hexadecimal exponents, nan, inf: Go only
	}
	if lower := strings.ToLower(text); strings.HasPrefix(lower, "0x") {
		n, err := strconv.ParseUint(lower[2:], 16, 64)
		return float64(n), err == nil
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// text is the string that a constant string or number turns into.
func (v *value) text() (string, bool) {
	switch v.kind {
	case kStr:
		return v.str, true
	case kNum:
		return numText(v.num), true
	}
	return "", false
}
