package lua

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// relation evaluates a comparison.
func (r *run) relation(x *ast.RelationalOpExpr, e *env) bool {
	a, b := r.eval(x.Lhs, e), r.eval(x.Rhs, e)
	if r.ended {
		return false
	}
	switch x.Operator {
	case "==":
		return r.equal(a, b)
	case "~=":
		return !r.equal(a, b)
	case "<":
		return r.less(a, b)
	case ">":
		return r.less(b, a)
	case "<=":
		return !r.less(b, a)
	}
	return !r.less(a, b)
}

// less evaluates a < b. All four order operators come down to it, so that a path does not contradict itself.
func (r *run) less(a, b *value) bool {
	if a.kind == kNil || b.kind == kNil || a.kind == kBool || b.kind == kBool || a.kind == kTable || b.kind == kTable {
		r.fail()
		return false
	}
	if a.kind == kNum && b.kind == kNum {
		return a.num < b.num
	}
	if a.kind == kStr && b.kind == kStr {
		return a.str < b.str
	}
	return r.choose(r.measure(atom{id: a.id + "<" + b.id, src: sources(a, b)}, a, b))
}

// measure recognises a number compared with a constant that the reader understands: how often the caller itself holds
// the key, or how long the key has to live.
func (r *run) measure(a atom, x, y *value) atom {
	if x.kind == kNum {
		x, y = y, x
	}
	if y.kind == kNum && (x.id == "#KEYS" || x.id == "#ARGV") {
		a.class = cShape
		return a
	}
	if y.kind != kNum || len(x.src) != 1 {
		return a
	}
	tag, key, _ := strings.Cut(x.src[0], ":")
	switch {
	case tag == "t":
		a.class, a.key = cTTL, key
	case tag == "c" && r.holds(key):
		a.class, a.key = cCount, key
	}
	return a
}

// equal evaluates a == b.
func (r *run) equal(a, b *value) bool {
	if a.kind == kNil || b.kind == kNil {
		return r.isNil(a, b)
	}
	if a.typ != tAny && b.typ != tAny && a.typ != b.typ {
		return r.mismatch(a, b)
	}
	if c, ok := r.boundTo(a); ok {
		a = c
	}
	if c, ok := r.boundTo(b); ok {
		b = c
	}
	switch {
	case a.isConst() && b.isConst():
		return a.id == b.id
	case a.kind == kTable || b.kind == kTable:
		return a.kind == b.kind && a.tab == b.tab
	case a.id == b.id:
		return true
	}
	return r.askEqual(a, b)
}

// boundTo is the constant that the path has found a value equal to.
func (r *run) boundTo(v *value) (*value, bool) {
	for _, b := range r.bound {
		if b.name == v.id {
			return b.val, true
		}
	}
	return nil, false
}

// askEqual splits the path on a comparison that is open.
func (r *run) askEqual(a, b *value) bool {
	held := r.choose(r.equalAtom(a, b))
	if !held {
		return false
	}
	switch {
	case b.isConst():
		r.bound = append(r.bound, field{a.id, b})
	case a.isConst():
		r.bound = append(r.bound, field{b.id, a})
	}
	return true
}

// isNil evaluates a comparison with nil. Redis answers false for what is not there, so "== nil" never finds that out.
func (r *run) isNil(a, b *value) bool {
	if a.kind == kNil {
		a, b = b, a
	}
	switch {
	case a.kind == kNil:
		return true
	case a.missing && r.rd.resp3:
		return r.choose(atom{id: r.fresh("nil")})
	case a.missing:
		r.rd.never.add("nil-compare",
			"a reply is compared with nil, but Redis gives a script false for a key that is not there: the test never holds")
		return r.rd.meant
	case a.kind == kRead && !a.optional:
		// Comparing the value that is there is half of the same mistake; the other half is seen on the other path.
		return false
	case (a.kind == kKey || a.kind == kArg) && !b.missing:
		return !r.truthOf(a)
	case a.optional || a.kind == kUnknown && a.typ == tAny:
		return r.choose(atom{id: "nil " + a.id, src: a.src})
	}
	return false
}

// mismatch evaluates a comparison of values of different types. It is never true, and says so where one side is a reply
// that cannot have the other's type.
func (r *run) mismatch(a, b *value) bool {
	if a.kind == kBool {
		a, b = b, a
	}
	if a.optional && a.kind == kUnknown || b.optional && b.kind == kUnknown {
		return false
	}
	if a.missing || b.missing || isAbsenceTest(a, b) {
		return false
	}
	rule, text := mistake(a, b)
	if rule == "" {
		return false
	}
	r.rd.never.add(rule, text)
	return r.rd.meant && r.meantEqual(a, b)
}

// isAbsenceTest recognises "v == false", which is how a script asks whether a key is there. A number is never false.
func isAbsenceTest(a, b *value) bool {
	return b.kind == kBool && b.num == 0 && a.kind != kNum && !isNegation(a, b)
}

// isNegation recognises "not v == ARGV[1]", which compares (not v).
func isNegation(a, b *value) bool { return b.kind == kBool && a.kind == kArg }

// mistake names the mistake of comparing values of two types, "" if there may be a reason for it.
func mistake(a, b *value) (rule, text string) {
	if a.status() != "" || b.status() != "" {
		return "status-compare", "a status reply is compared with " + nounOf(a, b) +
			", but in a script it is a table: compare its field ok, or just test it"
	}
	if isNegation(a, b) {
		return "compares-type", "a truth value is compared with " + a.id + ", which is a string: the test never holds"
	}
	if a.kind == kTable || b.kind == kTable {
		return "", ""
	}
	return "compares-type", "a " + typeNames[a.typ] + " is compared with a " + typeNames[b.typ] +
		": Lua does not convert, so the test never holds"
}

func nounOf(a, b *value) string {
	if a.status() != "" {
		a = b
	}
	return "a " + typeNames[a.typ]
}

// meantEqual is what the author of a comparison that is never true expected of it.
func (r *run) meantEqual(a, b *value) bool {
	for _, v := range []*value{a, b} {
		other := b
		if v == b {
			other = a
		}
		if text := v.status(); text != "" {
			return other.kind == kBool && other.num != 0 || other.kind == kStr && strings.EqualFold(other.str, text)
		}
	}
	x, okx := a.asNumber()
	y, oky := b.asNumber()
	switch {
	case okx && oky:
		return x == y
	case okx && b.kind == kBool:
		return (x != 0) == (b.num != 0)
	case a.kind == kRead && b.kind == kBool:
		return b.num != 0
	}
	return r.choose(r.equalAtom(a, b))
}

// equalAtom makes the question whether two values are equal.
func (r *run) equalAtom(a, b *value) atom {
	if a.id > b.id {
		a, b = b, a
	}
	q := atom{id: a.id + "==" + b.id, src: sources(a, b)}
	if isEmpty(a) && b.kind == kArg || isEmpty(b) && a.kind == kArg {
		q.class, q.val = cShape, b
		if a.kind == kArg {
			q.val = a
		}
		return q
	}
	read, other := a, b
	if !read.depends("v:") {
		read, other = b, a
	}
	if !read.depends("v:") || other.depends("v:") || other.depends("c:") {
		return r.measure(q, a, b)
	}
	return classify(q, read, other)
}

func isEmpty(v *value) bool { return v.kind == kStr && v.str == "" }

// classify says what it means to compare what was read from a key with something else.
func classify(q atom, read, other *value) atom {
	key := readKey(read)
	if key == "" || read.typ == tNumber {
		return q // numbers are compared for many reasons
	}
	exact := read.kind == kRead
	q.key, q.val, q.exact = key, other, exact
	switch {
	case other.isConst() && exact:
		q.class = cConstant
	case other.depends("a"):
		q.class = cOwner
		if !exact {
			// A part of the value, or something computed from it, is compared: an owner check, of what is not known.
			q.val = &value{kind: kUnknown, id: q.id, src: other.src}
		}
	case other.depends("k") && exact:
		q.class = cKeyName
	}
	return q
}

// readKey is the one key that a value was read from, "" if there are several.
func readKey(v *value) string {
	key := ""
	for _, s := range v.src {
		tag, k, _ := strings.Cut(s, ":")
		if tag != "v" {
			continue
		}
		if key != "" && key != k {
			return ""
		}
		key = k
	}
	return key
}
