package analyzers_test

import (
	"fmt"
	"strings"
)

// hostileFlows are programs with many paths, blocks, or statements.
func hostileFlows() []hostile {
	return []hostile{
		{name: "switch", body: inF(", n int, key string", take, "\tdefer rdb.Del(ctx, key)\n\tswitch n {\n",
			repeat(5000, "\tcase #:\n\t\twork(#)"), "\t}\n") + work},
		{name: "switch sets the key", body: inF(", n int", "\tvar key string\n\tswitch n {\n",
			repeat(5000, "\tcase #:\n\t\tkey = \"k#\""), "\t}\n", take, give)},
		{name: "branches", body: inF(", a []bool, key string", "\tst := 0\n", take,
			repeat(500, "\tif a[#] {\n\t\tst = #\n\t\twork(st)\n\t} else {\n\t\tst = -#\n\t}\n\twork(st)"), give) + work},
		{name: "flags", body: inF(", a []bool, key string", repeat(300, "\tvar f# bool"), take,
			repeat(300, "\tif a[#] {\n\t\tf# = true\n\t}"), repeat(300, "\tif f# {\n\t\twork(#)\n\t}"), give) + work},
		{name: "rotation", body: inF(", n []int, key string", "\ta, b, c, d, e, f := 0, 1, 2, 3, 4, 5\n", take,
			repeat(500, "\tif n[#] > 0 {\n\t\ta, b, c, d, e, f = b, c, d, e, f, a\n\t} else {\n\t\ta, b, c = c, a, b\n\t}"),
			give, "\twork(a, b, c, d, e, f)\n") + work},
		{name: "errors joined", body: inF(", a []bool, key string", take,
			repeat(300, "\tif a[#] {\n\t\terr = rdb.Ping(ctx).Err()\n\t}\n\tif err != nil {\n\t\trdb.Del(ctx, key)\n\t}"))},
		{name: "nested ifs", body: inF(", a []bool, key string", take, repeat(400, "if a[#] {"), give, repeat(400, "}"))},
		{name: "statements", body: inF(", a []int, key string", take, repeat(20000, "\ta[#] = a[#] + #"), give)},
		{name: "commands", body: inF(", key string", take,
			repeat(4000, "\trdb.Get(ctx, key)\n\trdb.Set(ctx, \"k#\", #, 0)"), give)},
		{name: "deferred releases", body: inF(", key string", take, repeat(3000, "\tdefer rdb.Del(ctx, key)"))},
		{name: "acquires", body: inF(", key string", repeat(300,
			"\tif ok, err := rdb.SetNX(ctx, key+\"#\", \"v\", time.Minute).Result(); err == nil && ok {\n\t\tdefer rdb.Del(ctx, key+\"#\")\n\t}"))},
		{name: "labels", body: inF(", n int, key string", take, repeat(300, "l#:\n\tif n > # {\n\t\tn--\n\t\tgoto l#\n\t}"), give)},
		{name: "jumps back", body: inF(", n []bool, key string", repeat(200, "l#:"), "\twork()\n", take,
			repeat(200, "\tif n[#] {\n\t\tgoto l#\n\t}"), give) + work},
		{name: "loops in loops", body: inF(", n []int, key string", repeat(60, "for range n {"), "{\n", take, give, "}\n", repeat(60, "}"))},
	}
}

// hostileValues are programs whose values are large, or made in many ways.
func hostileValues() []hostile {
	return []hostile{
		{name: "text doubled", body: inF("", "\tkey := \"abc\"\n", repeat(60, "\tkey += key"), take, give)},
		{name: "number squared", body: inF("", "\tn, key := int64(1000003), \"k\"\n", repeat(60, "\tn *= n"),
			"\trdb.SetNX(ctx, key, \"v\", time.Duration(n))\n", give)},
		{name: "variable doubled", body: inF(", key string", repeat(60, "\tkey += key"), take, give)},
		{name: "text doubled by calls", body: repeat(60, "func k#(s string) string { return k_#(s+s) }") +
			numbered(60, func(i int) string { return fmt.Sprintf("func k_%d(s string) string { return k%d(s) }", i, i+1) }) +
			"func k60(s string) string { return s }\n" + inF("", "\tkey := k0(\"abcd\")\n", take, give)},
		{name: "long sum", body: inF(", k []string", "\tkey := \"a\""+strings.ReplaceAll(repeat(5000, " + k[#]"), "\n", "")+"\n", take, give)},
		{name: "long text", body: inF(", k string", "\tkey := \"a\""+strings.ReplaceAll(repeat(3000, " + \"part#\""), "\n", "")+" + k\n", take, give)},
		{name: "strings rotated", body: inF(", n []int, a, b, c string",
			repeat(300, "\tif n[#] > 0 {\n\t\ta, b, c = b+c, c, a+\"#\"\n\t} else {\n\t\ta, b = c, a\n\t}"), "\tkey := a + b + c\n", take, give)},
		{name: "options", body: "type opts struct{ key string }\ntype opt func(*opts)\n" +
			"func With(key string) opt { return func(o *opts) { o.key = key } }\n" +
			"func New(o ...opt) *opts {\n\tx := &opts{}\n\tfor _, f := range o {\n\t\tf(x)\n\t}\n\treturn x\n}\n" +
			inF("", "\tkey := New(\n", repeat(2000, "\t\tWith(\"k#\"),"), "\t).key\n", take, give)},
		{name: "map of functions", body: "var table = map[string]func(context.Context, string){\n" +
			repeat(3000, "\t\"f#\": func(ctx context.Context, key string) {"+take+give+"\t},") + "}\n" +
			inF(", n string", "\ttable[n](ctx, n)\n")},
		{name: "slice of functions", body: "var list = []func(context.Context, string){\n" +
			repeat(3000, "\tfunc(ctx context.Context, key string) {"+take+give+"\t},") + "}\n" +
			inF(", n string", "\tfor _, f := range list {\n\t\tf(ctx, n)\n\t}\n")},
		{name: "fields", body: "type S struct {\n" + repeat(2000, "\tf# string") + "}\n" +
			"func New(k string) *S {\n\ts := &S{}\n" + repeat(2000, "\ts.f# = k + \"#\"") + "\treturn s\n}\n" +
			"func (s *S) F(ctx context.Context, n int) {\n" + repeat(200, "\tif n == # {\n\t\tkey := s.f#"+take+give+"\t}") + "}\n"},
		{name: "copies", body: "type S struct{ a, b string; t time.Duration }\n" +
			numbered(300, func(i int) string {
				return fmt.Sprintf("func c%d(s S) S {\n\tif s.t == 0 {\n\t\ts.t = %d\n\t}\n\ts.a += s.b\n\treturn c%d(s)\n}", i, i, i+1)
			}) + "func c300(s S) S { return s }\n" +
			inF("", "\ts := c0(S{a: \"x\"})\n\tkey := s.a\n", take, give)},
		{name: "parentheses", body: inF(", n int, key string",
			"\tn = "+strings.Repeat("(", 5000)+"n"+strings.Repeat("+1)", 5000)+"\n", "\trdb.SetNX(ctx, key, n, time.Minute)\n", give)},
		{name: "script", body: "var s = redis.NewScript(`" +
			strings.Repeat("if redis.call('get', KEYS[1]) == ARGV[1] then\n", 3000) + "return redis.call('del', KEYS[1])\n" +
			strings.Repeat("end\n", 3000) + "`)\n" + inF(", key string", take, "\ts.Run(ctx, rdb, []string{key}, \"v\")\n")},
		{name: "script of brackets", body: "var s = redis.NewScript(`return " + strings.Repeat("(", 1<<20) + "1" +
			strings.Repeat(")", 1<<20) + "`)\n" + inF(", key string", take, "\ts.Run(ctx, rdb, []string{key}, \"v\")\n")},
		{name: "script of branches", body: "var s = redis.NewScript(`" +
			strings.Repeat("if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) else redis.call('set', KEYS[1], 1) end\n", 500) +
			"return 1`)\n" + inF(", key string", take, "\ts.Run(ctx, rdb, []string{key}, \"v\")\n")},
		{name: "script that loops", body: "var s = redis.NewScript(`" + strings.Repeat("while redis.call('get', KEYS[1]) do for i=1,9 do\n", 300) +
			"redis.call('del', KEYS[1])\n" + strings.Repeat("end end\n", 300) + "`)\n" +
			inF(", key string", take, "\ts.Run(ctx, rdb, []string{key}, \"v\")\n")},
	}
}

// hostileGraphs are programs with many functions, or functions that call each other in odd ways.
func hostileGraphs() []hostile {
	return []hostile{
		{name: "functions", body: numbered(10000, func(i int) string {
			return fmt.Sprintf("func f%d(ctx context.Context, key string) {%s\tdefer rdb.Del(ctx, key)\n\tf%d(ctx, key)\n}", i, take, (i*7+1)%10000)
		})},
		{name: "chain", body: numbered(5000, func(i int) string {
			return fmt.Sprintf("func f%d(ctx context.Context, key string) { f%d(ctx, key+\"x\") }", i, i+1)
		}) + "func f5000(ctx context.Context, key string) {" + take + give + "}\n"},
		{name: "ladder", body: inF(", key string", take, "\tf0(ctx, key)\n", give) + numbered(60, func(i int) string {
			return fmt.Sprintf("func f%d(ctx context.Context, key string) {\n\tf%d(ctx, key)\n\tf%d(ctx, key)\n}", i, i+1, i+1)
		}) + "func f60(ctx context.Context, key string) {\n\trdb.Set(ctx, \"data\", 1, 0)" + take + give + "}\n"},
		{name: "deep chain", body: numbered(60000, func(i int) string {
			return fmt.Sprintf("func f%d(k string) string { return f%d(k) }", i, i+1)
		}) + "func f60000(k string) string { return \"a\" + k }\n" + inF(", k string", "\tkey := f0(k)\n", take, give)},
		{name: "ladder under a wrapper", body: "type S struct{ n int }\n\n" +
			"func (s *S) Run(ctx context.Context, id string) error {\n\tkey := \"settle:\" + id\n" +
			strings.Replace(take, "return", "return err", 1) + "\tdefer rdb.Del(ctx, key)\n\treturn s.run(ctx, id)\n}\n" +
			"func (s *S) run(ctx context.Context, id string) error { return s.f0(ctx, id) }\n" +
			numbered(60, func(i int) string {
				return fmt.Sprintf("func (s *S) f%d(ctx context.Context, id string) error {\n\tif id == \"%d\" {\n\t\treturn s.f%d(ctx, id)\n\t}\n\treturn s.f%d(ctx, id)\n}", i, i, i+1, i+1)
			}) + "func (s *S) f60(ctx context.Context, id string) error {\n\ts.n++\n\trdb.Incr(ctx, \"n\")\n\treturn s.run(ctx, id)\n}\n"},
		{name: "ladder of closures", body: inF(", key string", take, "\tf0(ctx, func() { rdb.Set(ctx, key, 1, 0) })\n", give) +
			numbered(60, func(i int) string {
				return fmt.Sprintf("func f%d(ctx context.Context, g func()) {\n\tf%d(ctx, func() { g() })\n\tf%d(ctx, g)\n}", i, i+1, i+1)
			}) + "func f60(ctx context.Context, g func()) { g() }\n"},
		{name: "mutual recursion", body: numbered(60, func(i int) string {
			return fmt.Sprintf("func f%d(ctx context.Context, key string) {%s\tf%d(ctx, key)\n\tf%d(ctx, k%d(key))\n\tf%d(ctx, k%d(key))\n%s}\n"+
				"func k%d(s string) string {\n\tif len(s) > 3 {\n\t\treturn k%d(s) + \"a\"\n\t}\n\treturn k%d(k%d(s))\n}",
				i, take, (i+1)%60, (i*3+1)%60, i, (i*7+5)%60, (i+9)%60, give, i, (i+1)%60, (i*5+2)%60, (i*11+3)%60)
		})},
		{name: "closures", body: inF(", key string", repeat(1000, "\tg# := func() {"+take+"\t\tdefer rdb.Del(ctx, key)\n\t}\n\tg#()"))},
		{name: "closures in closures", body: inF(", key string", repeat(200, "func() {"), take, give, repeat(200, "}()"))},
		{name: "recursive closures in closures", body: inF(", key string, n int", repeat(25, "var g# func(string)\ng# = func(key string) {\n\tif n > # {\n\t\tg#(key + \"#\")\n\t}"),
			take, give, numbered(25, func(i int) string { return fmt.Sprintf("}\ng%d(key)", 24-i) }))},
		{name: "recursion through closures", body: inF(", key string, n int", repeat(40, "func() {\nif n > # {\n\tF(ctx, key+\"#\", n)\n}"), take, give, repeat(40, "}()"))},
		{name: "closures captured", body: inF(", key string", "\tg0 := func() {", take, give, "\t}\n", numbered(300, func(i int) string {
			return fmt.Sprintf("\tg%d := func() { g%d(); g%d() }", i+1, i, i)
		}), "\tg300()\n")},
		{name: "key functions", body: numbered(400, func(i int) string {
			return fmt.Sprintf("func k%d(a, b string) string { return k%d(a+b, b) + k%d(b, a) }", i, i+1, i+1)
		}) + "func k400(a, b string) string { return a + \":\" + b }\n" + inF(", a, b string", "\tkey := k0(a, b)\n", take, give)},
		{name: "functions handed on", body: numbered(200, func(i int) string {
			return fmt.Sprintf("func h%d(f, g func(string) error) {\n\th%d(func(s string) error { return f(s + \"a\") }, func(s string) error { g(s); return f(s) })\n}", i, i+1)
		}) + "func h200(f, g func(string) error) { f(\"x\"); g(\"y\") }\n" +
			inF("", "\th0(func(key string) error { return rdb.SetNX(ctx, key, \"v\", time.Minute).Err() }, func(key string) error { return rdb.Del(ctx, key).Err() })\n")},
		{name: "effects of effects", body: numbered(40, func(i int) string {
			return fmt.Sprintf("func e%d(ctx context.Context, a, b string) {\n%s}", i, numbered(20, func(j int) string {
				return fmt.Sprintf("\te%d(ctx, a+\"%d\", b)\n\te%d(ctx, b, a+\":%d\")", i+1, j, i+1, j)
			}))
		}) + "func e40(ctx context.Context, a, b string) {\n\tif ok, _ := rdb.SetNX(ctx, a, b, time.Minute).Result(); ok {\n\t\trdb.Del(ctx, b)\n\t}\n}\n"},
		{name: "implementations", body: "type L interface {\n\tLock(context.Context, string) (bool, error)\n\tUnlock(context.Context, string) error\n}\n" +
			repeat(300, "type T# struct {\n\tc *redis.Client\n\tn L\n}\n"+
				"func (t *T#) Lock(ctx context.Context, k string) (bool, error) {\n\tif t.n != nil {\n\t\treturn t.n.Lock(ctx, k)\n\t}\n\treturn t.c.SetNX(ctx, \"#\"+k, \"v\", 0).Result()\n}\n"+
				"func (t *T#) Unlock(ctx context.Context, k string) error { return t.c.Del(ctx, \"#\"+k).Err() }") +
			inF(", l L", "\tif ok, _ := l.Lock(ctx, \"a\"); ok {\n\t\tdefer l.Unlock(ctx, \"a\")\n\t}\n") +
			"func G(ctx context.Context) {\n" + repeat(300, "\tF(ctx, &T#{rdb, &T0{}})") + "}\n"},
		{name: "decorators in a ring", body: ring},
		{name: "functions of functions", body: "type Fn func(Fn) Fn\n\nfunc Y(f Fn) Fn { return f(f)(f(f))(Y) }\nfunc Z() { Y(Y)(Y(Y)) }\n" +
			"type K func(K, string) string\n\nfunc k(f K, s string) string { return f(f, s+f(k, s)) }\n" + inF("", "\tkey := k(k, \"a\")\n", take, give)},
		{name: "generic recursion", body: generic},
	}
}

// ring are types that hold each other.
const ring = `
type A struct {
	*A
	b *B
	f func(*A) *B
}
type B struct {
	*B
	a []A
	m map[string]*A
	L
}
type L interface {
	Lock(context.Context, string) bool
	Self() L
}
type D struct{ L }

func (d *D) Lock(ctx context.Context, k string) bool { return d.L.Lock(ctx, "d"+k) }
func (d *D) Self() L                                 { return &D{d} }

type E struct{ L }

func (d *E) Lock(ctx context.Context, k string) bool {
	ok, _ := rdb.SetNX(ctx, k, "v", time.Minute).Result()
	return ok && d.L.Lock(ctx, "e"+k)
}
func (d *E) Self() L { return &E{&D{d}} }

func F(ctx context.Context) {
	d := &D{}
	e := &E{d}
	d.L = e
	var l L = d
	for range 10 {
		l = l.Self()
	}
	if l.Lock(ctx, "a") {
		defer rdb.Del(ctx, "a")
	}
	var a A
	a.A = &a
	a.f = func(x *A) *B { return x.A.A.A.A.A.f(x.A.A) }
	a.f(&a)
}
`

const generic = `
type N[T any] struct {
	next *N[T]
	v    T
}

func (n *N[T]) Lock(ctx context.Context) {
	if n.next != nil {
		n.next.Lock(ctx)
	}
	R(ctx, 3, "a", n.v)
}

func R[T any](ctx context.Context, n int, key string, v T) {
	if n == 0 {
		return
	}
	ok, err := rdb.SetNX(ctx, key, "v", time.Minute).Result()
	if err != nil || !ok {
		return
	}
	defer rdb.Del(ctx, key)
	R(ctx, n-1, key, v)
}

func F(ctx context.Context) {
	R(ctx, 3, "k", 1)
	R(ctx, 3, "k", "a")
	(&N[int]{}).Lock(ctx)
	(&N[[]string]{}).Lock(ctx)
}
`
