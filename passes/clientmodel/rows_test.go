package clientmodel

import (
	"go/types"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/passes/keyterm"
)

func konst(s string) keyterm.Term { return keyterm.Term{Op: keyterm.Const, Text: s} }

func param(i int) keyterm.Term { return keyterm.Term{Op: keyterm.Param, Text: "f", Index: i} }

// method makes what Lookup is given: a method of a type of the package, or a function where recv is "".
func method(path, recv, name string, variadic bool, params ...types.Type) *types.Func {
	pkg := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	var vars []*types.Var
	for _, p := range params {
		vars = append(vars, types.NewParam(0, pkg, "", p))
	}
	var r *types.Var
	if recv != "" {
		r = types.NewParam(0, pkg, "", types.NewNamed(types.NewTypeName(0, pkg, recv, nil), types.NewStruct(nil, nil), nil))
	}
	return types.NewFunc(0, pkg, name, types.NewSignatureType(r, nil, nil, types.NewTuple(vars...), nil, variadic))
}

func commandsOf(t *testing.T, fn *types.Func, args ...keyterm.Term) []Command {
	t.Helper()
	row, ok := Lookup(fn)
	if !ok {
		t.Fatalf("%s has no row", fn.FullName())
	}
	if row.Commands == nil {
		return nil
	}
	return row.Commands(Call{Args: args})
}

func TestRows(t *testing.T) {
	key, own := param(1), param(2)
	unknown := keyterm.Term{}
	script := scriptObject(konst("return 1"))
	mutex := lockOf(etcdMutexType, key)
	tests := []struct {
		path, recv, name string
		args             []keyterm.Term
		want             []Op
		unit             Unit
	}{
		{"github.com/redis/go-redis/v9", "Client", "SetNX", []keyterm.Term{unknown, unknown, key, own, unknown}, []Op{SetIfAbsent}, Duration},
		{"github.com/go-redis/redis", "Client", "SetNX", []keyterm.Term{unknown, key, own, unknown}, []Op{SetIfAbsent}, Duration},
		{"github.com/go-redis/redis/v7", "Ring", "Del", []keyterm.Term{unknown, list(key)}, []Op{Delete}, NoUnit},
		{"gopkg.in/redis.v3", "Client", "Expire", []keyterm.Term{unknown, key, unknown}, []Op{Expire}, Duration},
		{"github.com/redis/rueidis/rueidiscompat", "Compat", "SetNX", []keyterm.Term{unknown, unknown, key, own, unknown}, []Op{SetIfAbsent}, Duration},
		{"github.com/gomodule/redigo/redis", "Conn", "Do", []keyterm.Term{unknown, konst("set"), list(key, own, konst("NX"), konst("px"), konst("5"))}, []Op{SetIfAbsent}, Millis},
		{"github.com/gomodule/redigo/redis", "Conn", "Do", []keyterm.Term{unknown, konst("HGETALL"), list(key)}, nil, NoUnit},
		{"github.com/gomodule/redigo/redis", "Conn", "Do", []keyterm.Term{unknown, param(3), param(4)}, []Op{RunWords}, NoUnit},
		{"github.com/gomodule/redigo/redis", "", "DoContext", []keyterm.Term{unknown, unknown, konst("DEL"), list(key, own)}, []Op{Delete, Delete}, NoUnit},
		{"github.com/redis/rueidis", "Client", "Do", []keyterm.Term{unknown, unknown, list(konst("EXPIRE"), key, konst("0"))}, []Op{Delete}, NoUnit},
		{"github.com/redis/rueidis", "Client", "DoMulti", []keyterm.Term{unknown, unknown, list(list(konst("MULTI")), list(konst("DEL"), key))}, []Op{Begin, Delete}, NoUnit},
		{"github.com/redis/rueidis", "Lua", "Exec", []keyterm.Term{script, unknown, unknown, list(key), list(own)}, []Op{RunScript}, NoUnit},
		{"github.com/valkey-io/valkey-go/valkeylock", "Locker", "WithContext", []keyterm.Term{unknown, unknown, key}, []Op{Acquire}, NoUnit},
		{"github.com/zeromicro/go-zero/core/stores/redis", "Redis", "SetnxExCtx", []keyterm.Term{unknown, unknown, key, own, konst("5")}, []Op{SetIfAbsent}, Seconds},
		{"github.com/bsm/redislock", "Client", "Obtain", []keyterm.Term{unknown, unknown, key, unknown, konst("nil")}, []Op{Acquire}, Duration},
		{"github.com/bradfitz/gomemcache/memcache", "Client", "Delete", []keyterm.Term{unknown, key}, []Op{Delete}, NoUnit},
		{"go.etcd.io/etcd/client/v3/concurrency", "Mutex", "TryLock", []keyterm.Term{mutex, unknown}, []Op{Acquire}, NoUnit},
		{"github.com/hashicorp/consul/api", "KV", "Delete", []keyterm.Term{unknown, key, unknown}, []Op{Delete}, NoUnit},
	}
	for _, x := range tests {
		fn := method(x.path, x.recv, x.name, false)
		got := commandsOf(t, fn, x.args...)
		if len(got) != len(x.want) {
			t.Errorf("%s: %d commands, want %v", fn.FullName(), len(got), x.want)
			continue
		}
		for i, c := range got {
			if c.Op != x.want[i] {
				t.Errorf("%s: %v, want %v", fn.FullName(), c.Op, x.want[i])
			}
			if keyed := c.Op != RunScript && c.Op != RunWords && c.Op != Begin; keyed && i == 0 && c.Key.String() != key.String() {
				t.Errorf("%s: the key is %v", fn.FullName(), c.Key)
			}
		}
		if x.unit != NoUnit && got[0].Unit != x.unit {
			t.Errorf("%s: unit %v, want %v", fn.FullName(), got[0].Unit, x.unit)
		}
	}
}

// What is no business of locks has no row.
func TestNoRow(t *testing.T) {
	for _, fn := range []*types.Func{
		method("github.com/zeromicro/go-zero/core/stores/redis", "Redis", "Hget", false),
		method("github.com/hashicorp/consul/api", "KV", "Put", false),
		method("github.com/go-redis/redis", "Client", "Incr", false),
		method("github.com/gomodule/redigo/redis", "Pool", "Get", false),
	} {
		if _, ok := Lookup(fn); ok {
			t.Errorf("%s has a row", fn.FullName())
		}
	}
}

// A builder's chain is a list of words, whatever the command.
func TestBuilder(t *testing.T) {
	text, number := types.Typ[types.String], types.Typ[types.Int64]
	const path = "github.com/redis/rueidis/internal/cmds"
	chain := []struct {
		fn  *types.Func
		arg []keyterm.Term
	}{
		{method(path, "Builder", "Set", false), nil},
		{method(path, "Set", "Key", false, text), []keyterm.Term{param(1)}},
		{method(path, "SetKey", "Value", false, text), []keyterm.Term{param(2)}},
		{method(path, "SetValue", "Nx", false), nil},
		{method(path, "SetConditionNx", "Px", false, number), []keyterm.Term{param(3)}},
		{method(path, "SetExpirationPxMsTyped", "Build", false), nil},
	}
	var at keyterm.Term
	for _, step := range chain {
		row, ok := Lookup(step.fn)
		if !ok {
			t.Fatalf("%s has no row", step.fn.FullName())
		}
		at = row.Results(Call{Args: append([]keyterm.Term{at}, step.arg...)})[0]
	}
	got := Words(at)
	if len(got) != 1 || got[0].Op != SetIfAbsent || got[0].Unit != Duration || got[0].TTL.String() != param(3).String() || got[0].Owner.String() != param(2).String() {
		t.Errorf("%v reads as %+v", at, got)
	}
}

// What a function that takes the reply and the error returns in the three scenarios of SET NX and of SETNX.
func TestReadReply(t *testing.T) {
	for _, reply := range []Reply{StatusReply, IntReply} {
		for s, want := range map[Scenario][2]Abstract{
			HeldScenario: {True, Nil}, OutageScenario: {False, NonNil},
			TakenScenario: map[Reply][2]Abstract{StatusReply: {False, NonNil | Contention}, IntReply: {False, Nil}}[reply],
		} {
			value, err := ReadReply(reply.Abstract(s, RawResult), reply.Abstract(s, RawErrResult))
			if got := [2]Abstract{value, err}; got != want {
				t.Errorf("reply %d in scenario %d: %v, want %v", reply, s, got, want)
			}
		}
	}
	if value, err := ReadReply(0, 0); value != 0 || err != 0 {
		t.Errorf("an unknown reply is read as %v, %v", value, err)
	}
}

func TestReplies(t *testing.T) {
	if roles, ok := AccessorNamed("(*github.com/redis/rueidis/rueidiscompat.baseCmd[bool]).Result"); !ok || len(roles) != 2 {
		t.Errorf("a method of a generic command object: %v, %v", roles, ok)
	}
	if _, ok := AccessorNamed("(github.com/redis/rueidis.RedisResult).AsInt64"); !ok {
		t.Error("a method of a reply by value is not known")
	}
	if _, ok := AccessorNamed("github.com/gomodule/redigo/redis.Int"); !ok {
		t.Error("a reader is not known")
	}
	if _, ok := AccessorNamed("(*github.com/redis/go-redis/v9.Client).Result"); ok {
		t.Error("a client is no command object")
	}
	if !AsksForSentinel(method("github.com/redis/rueidis", "", "IsRedisNil", false)) {
		t.Error("IsRedisNil does not ask for a sentinel")
	}
	if row, ok := Named(lockerDone); !ok || row.Commands(Call{Args: []keyterm.Term{konst("k")}})[0].Op != Release {
		t.Error("the function that a locker returns does not release")
	}
}
