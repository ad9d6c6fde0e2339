package clientmodel

import "github.com/leasevet/leasevet/passes/keyterm"

// goZeroLibrary is the Redis client of go-zero, a lock included. Every method has a twin that takes a context first and
// is called so; TTLs are numbers of seconds. Source: the package documentation of
// github.com/zeromicro/go-zero/core/stores/redis. The path before the project moved is untested.
var goZeroLibrary = library{
	paths: []string{"github.com/zeromicro/go-zero/core/stores/redis", "github.com/tal-tech/go-zero/core/stores/redis"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "" {
			return nil
		}
		return goZeroRows
	},
	sentinels: []string{"redis: nil"},
}

const goZeroLockType = "redis.RedisLock"

var goZeroRows = goZeroTable()

// valued is for a reply that comes as a value and an error.
var valued = []Role{ValueResult, ErrResult}

// goZeroTable makes the rows, with and without a context.
func goZeroTable() map[string]Row {
	out := map[string]Row{
		"NewScript":           {Results: luaScript, Ctx: -1},
		"NewRedisLock":        {Results: lockObject(goZeroLockType, 1), Ctx: -1},
		"RedisLock.SetExpire": {Ctx: -1},
	}
	for n, end := range []string{"", "Ctx"} {
		for name, row := range goZeroNamed(n + 1) {
			row.Ctx = n
			if n == 0 {
				row.Ctx = -1
			}
			out[name+end] = row
		}
	}
	return out
}

// goZeroNamed are the rows of methods whose first operand is argument i.
func goZeroNamed(i int) map[string]Row {
	return map[string]Row{
		"Setnx":             {Commands: forever(command(SetIfAbsent, i, i+1, 0, Seconds, UnknownGuarantee, BoolReply)), Roles: valued},
		"SetnxEx":           {Commands: command(SetIfAbsent, i, i+1, i+2, Seconds, UnknownGuarantee, BoolReply), Roles: valued},
		"Set":               {Commands: forever(command(Set, i, i+1, 0, Seconds, Unchecked, NoReply)), Roles: noRoles},
		"Setex":             {Commands: command(Set, i, i+1, i+2, Seconds, Unchecked, NoReply), Roles: noRoles},
		"GetSet":            {Commands: command(Set, i, i+1, 0, NoUnit, Unchecked, NoReply), Roles: noRoles},
		"Get":               {Commands: command(Get, i, 0, 0, NoUnit, UnknownGuarantee, NoReply), Roles: noRoles},
		"GetEx":             {Commands: command(Expire, i, 0, i+1, Seconds, Unchecked, NoReply), Roles: noRoles},
		"GetDel":            {Commands: command(Delete, i, 0, 0, NoUnit, Unchecked, NoReply), Roles: noRoles},
		"Del":               {Commands: func(c Call) []Command { return deletes(c, i) }, Roles: valued},
		"Unlink":            {Commands: func(c Call) []Command { return deletes(c, i) }, Roles: valued},
		"Expire":            {Commands: expires(i, Seconds), Roles: noRoles},
		"Expireat":          {Commands: command(Expire, i, 0, 0, NoUnit, Unchecked, NoReply), Roles: noRoles},
		"Persist":           {Commands: command(Expire, i, 0, 0, NoUnit, Unchecked, BoolReply), Roles: valued},
		"Eval":              {Commands: func(c Call) []Command { return evals(c.Arg(i), c.Arg(i+1), c.Arg(i+2)) }, Roles: rawWithNil},
		"EvalSha":           {Commands: func(c Call) []Command { return evalSha(c.Arg(i), c.Arg(i+1), c.Arg(i+2)) }, Roles: rawWithNil},
		"ScriptRun":         {Commands: func(c Call) []Command { return evals(field(c.Arg(i), scriptText), c.Arg(i+1), c.Arg(i+2)) }, Roles: rawWithNil},
		"Pipelined":         {Runs: []int{i}},
		"RedisLock.Acquire": {Commands: lockObjectDoes(Acquire, BoolReply), Roles: valued},
		"RedisLock.Release": {Commands: lockObjectDoes(Release, BoolReply), Roles: valued},
	}
}

// rawWithNil is for a reply as it came, and an error that says so where there was none.
var rawWithNil = []Role{RawResult, ErrResult}

// forever adds to a command that it gives no TTL.
func forever(read func(Call) []Command) func(Call) []Command {
	return func(c Call) []Command {
		out := read(c)
		for i := range out {
			out[i].TTL, out[i].HasTTL = zeroTTL, true
		}
		return out
	}
}

// lockObject reads the constructor of a library's lock whose key is argument i.
func lockObject(typ string, key int) func(Call) []keyterm.Term {
	return func(c Call) []keyterm.Term { return []keyterm.Term{lockOf(typ, c.Arg(key)), {}} }
}

func lockOf(typ string, key keyterm.Term) keyterm.Term {
	return keyterm.Term{Op: keyterm.Object, Text: typ, Names: []string{mutexKey}, Args: []keyterm.Term{key}}
}

// lockObjectDoes is what a method of a library's lock does. What is known of its lease is the library's affair.
func lockObjectDoes(op Op, reply Reply) func(Call) []Command {
	return func(c Call) []Command {
		return []Command{{Op: op, Key: field(c.Arg(0), mutexKey), Guard: Atomic, Library: true, Reply: reply}}
	}
}
