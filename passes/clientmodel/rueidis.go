package clientmodel

import (
	"go/types"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// rueidisLibrary is rueidis and valkey-go, which grew out of it: a builder puts a command together word by word, its
// last method makes it a command, and the reply is an object. Source: the package documentation of
// github.com/redis/rueidis and github.com/valkey-io/valkey-go.
var rueidisLibrary = library{
	paths: []string{"github.com/redis/rueidis", "github.com/valkey-io/valkey-go"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "" {
			return nil
		}
		return rueidisRows
	},
	rule: func(sub string, fn *types.Func) (Row, bool) {
		if sub != "internal/cmds" || fn.Signature().Recv() == nil {
			return Row{}, false
		}
		return builderRow(fn), true
	},
	objects: []string{"RedisResult", "RedisMessage", "ValkeyResult", "ValkeyMessage"},
	accessors: map[string][]Role{
		"Error": {ErrResult}, "NonRedisError": {RawErrResult}, "NonValkeyError": {RawErrResult}, "IsNil": {MissingResult},
		"ToMessage": {MessageResult, ErrResult}, "ToString": {ValueResult, ErrResult}, "AsBytes": {ValueResult, ErrResult},
		"ToInt64": {ValueResult, ErrResult}, "AsInt64": {ValueResult, ErrResult}, "AsUint64": {ValueResult, ErrResult},
		"ToBool": {ValueResult, ErrResult}, "AsBool": {ValueResult, ErrResult}, "ToFloat64": {ValueResult, ErrResult},
		"AsFloat64": {ValueResult, ErrResult}, "ToAny": {RawResult, ErrResult}, "ToArray": {OtherResult, ErrResult},
		"AsReader": {OtherResult, ErrResult}, "DecodeJSON": {ErrResult}, "AsStrSlice": {OtherResult, ErrResult},
		"AsIntSlice": {OtherResult, ErrResult}, "AsStrMap": {OtherResult, ErrResult}, "AsMap": {OtherResult, ErrResult},
		"ToMap": {OtherResult, ErrResult}, "AsIntMap": {OtherResult, ErrResult},
	},
	sentinels: []string{"Nil"},
	asks:      []string{"IsRedisNil", "IsValkeyNil"},
}

var rueidisRows = map[string]Row{
	"Do":                         {Commands: func(c Call) []Command { return later(c.Arg(2)) }, Ctx: 1},
	"DoCache":                    {Commands: func(c Call) []Command { return later(c.Arg(2)) }, Ctx: 1},
	"DoMulti":                    {Commands: func(c Call) []Command { return many(c.Arg(2)) }, Ctx: 1},
	"Dedicated":                  {Runs: []int{1}, Ctx: -1},
	"NewLuaScript":               {Results: luaScript, Ctx: -1},
	"NewLuaScriptNoSha":          {Results: luaScript, Ctx: -1},
	"NewLuaScriptRetryable":      {Results: luaScript, Ctx: -1},
	"NewLuaScriptNoShaRetryable": {Results: luaScript, Ctx: -1},
	"NewLuaScriptReadOnly":       {Results: luaScript, Ctx: -1},
	"NewLuaScriptReadOnlyNoSha":  {Results: luaScript, Ctx: -1},
	"Lua.Exec":                   {Commands: func(c Call) []Command { return evals(field(c.Arg(0), scriptText), c.Arg(3), c.Arg(4)) }, Ctx: 1},
	"Lua.ExecMulti":              {Commands: luaMulti, Ctx: 1},
	"BinaryString":               {Results: first, Ctx: -1},
}

func luaScript(c Call) []keyterm.Term { return []keyterm.Term{scriptObject(c.Arg(0))} }

func first(c Call) []keyterm.Term { return []keyterm.Term{c.Arg(0)} }

// many reads DoMulti: one reply for each command, but those of a transaction come with its EXEC.
func many(commands keyterm.Term) []Command {
	var out []Command
	inside := false
	for i, w := range elements(flat(commands)) {
		for _, cmd := range later(w) {
			cmd.Nth, cmd.Queued = i+1, inside
			if inside {
				cmd.Reply = NoReply
			}
			inside = inside || cmd.Op == Begin
			out = append(out, cmd)
		}
	}
	return out
}

// luaMulti reads ExecMulti(ctx, client, LuaExec{Keys, Args}...).
func luaMulti(c Call) []Command {
	var out []Command
	for i, m := range elements(c.Arg(3)) {
		for _, cmd := range evals(field(c.Arg(0), scriptText), field(m, "Keys"), field(m, "Args")) {
			cmd.Nth = i + 1
			out = append(out, cmd)
		}
	}
	return out
}

// builderRow is the row of a builder's method. Its method that begins a command is the command's name, and each method
// behind it adds words: those that the method stands for, and its arguments.
func builderRow(fn *types.Func) Row {
	name, variadic, params := fn.Name(), fn.Signature().Variadic(), fn.Signature().Params().Len()
	begins := ReceiverName(fn) == "Builder."
	return Row{Ctx: -1, Results: func(c Call) []keyterm.Term {
		own := list(builderWords(name, params)...)
		rest := list(c.Args[min(1, len(c.Args)):]...)
		if variadic {
			rest = c.Arg(1)
		}
		switch {
		case begins && name == "Arbitrary":
			return []keyterm.Term{rest}
		case begins:
			return []keyterm.Term{list(word(strings.ToUpper(name)))}
		case slices.Contains(builderEnds, name):
			return []keyterm.Term{c.Arg(0)}
		}
		return []keyterm.Term{joined(c.Arg(0), own, rest)}
	}}
}

// builderEnds are methods that say how a command is run, not what it does.
var builderEnds = []string{"Build", "Cache", "Pin", "ReadOnly", "Blocking", "MultiGet", "ToPipe", "ToRetryable"}

// builderOptions are methods with an argument that stand for a word of their own.
var builderOptions = map[string]string{
	"Ex": durationWord, "Px": durationWord, "ExSeconds": "EX", "PxMilliseconds": "PX", "Exat": "EXAT", "ExatTimestamp": "EXAT",
	"Pxat": "PXAT", "PxatMillisecondsTimestamp": "PXAT", "Ifeq": "IFEQ", "Ifne": "IFNE", "Ifdeq": "IFDEQ", "Ifdne": "IFDNE",
}

// builderWords are the words that a method stands for: an option's, or its name if there is nothing else to it.
func builderWords(name string, params int) []keyterm.Term {
	if w := builderOptions[name]; w != "" {
		return []keyterm.Term{word(w)}
	}
	if params == 0 {
		return []keyterm.Term{word(strings.ToUpper(name))}
	}
	return nil
}

// rueidisLocker is the lock of rueidis and of valkey-go: it renews itself, and the function that ends the context gives
// it back. Source: the package documentation of github.com/redis/rueidis/rueidislock.
var rueidisLocker = library{
	paths:     []string{"github.com/redis/rueidis/rueidislock", "github.com/valkey-io/valkey-go/valkeylock"},
	rows:      func(string, string) map[string]Row { return lockerRows },
	sentinels: []string{"ErrNotLocked"},
}

// lockerDone is the function that gives the lock back, with the lock's name bound to it.
const lockerDone = "github.com/redis/rueidis/rueidislock#done"

var lockerRows = map[string]Row{
	"WithContext":      {Commands: locked, Results: lockedContext, Roles: lockedRoles, Ctx: 1},
	"TryWithContext":   {Commands: locked, Results: lockedContext, Roles: lockedRoles, Ctx: 1},
	"ForceWithContext": {Commands: locked, Results: lockedContext, Roles: lockedRoles, Ctx: 1},
	"#done": {Commands: func(c Call) []Command {
		return []Command{{Op: Release, Key: c.Arg(0), Guard: Atomic, Library: true}}
	}, Roles: noRoles, Ctx: -1},
}

var lockedRoles = []Role{OtherResult, ValueResult, ErrResult}

func locked(c Call) []Command {
	return []Command{{Op: Acquire, Key: c.Arg(2), Guard: Atomic, Library: true, Reply: HandleReply}}
}

func lockedContext(c Call) []keyterm.Term {
	done := keyterm.Term{Op: keyterm.Func, Text: lockerDone, Index: 1, Args: []keyterm.Term{c.Arg(2)}}
	return []keyterm.Term{{}, done, {}}
}
