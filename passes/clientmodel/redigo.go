package clientmodel

import "github.com/leasevet/leasevet/passes/keyterm"

// redigoLibrary is redigo, by its two import paths: commands are words, a reply and an error come back as they are, and
// functions of the package make a value of them. Source: the package documentation of github.com/gomodule/redigo/redis.
var redigoLibrary = library{
	paths: []string{"github.com/gomodule/redigo", "github.com/garyburd/redigo"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "redis" {
			return nil
		}
		return redigoRows
	},
	readers: []string{
		"Int", "Int64", "Uint64", "Float64", "String", "Bytes", "Bool", "Values", "MultiBulk", "Strings", "ByteSlices",
		"Ints", "Int64s", "Uint64s", "Float64s", "StringMap", "IntMap", "Int64Map", "Uint64Map", "Float64Map",
	},
	sentinels: []string{"ErrNil"},
}

var raw = []Role{RawResult, RawErrResult}

// The functions DoContext and DoWithTimeout take the connection where the methods have their receiver, so that most rows
// go by name alone.
var redigoRows = map[string]Row{
	"Do":               {Commands: sent(1, 2), Roles: raw, Ctx: -1},
	"DoContext":        {Commands: sent(2, 3), Roles: raw, Ctx: 1},
	"DoWithTimeout":    {Commands: sent(2, 3), Roles: raw, Ctx: -1},
	"Send":             {Commands: queued(sent(1, 2)), Roles: noRoles, Ctx: -1},
	"Script.Do":        {Commands: sentScript(2), Roles: raw, Ctx: -1},
	"Script.DoContext": {Commands: sentScript(3), Roles: raw, Ctx: 1},
	"Script.Send":      {Commands: queued(sentScript(2)), Roles: noRoles, Ctx: -1},
	"Script.SendHash":  {Commands: queued(sentScript(2)), Roles: noRoles, Ctx: -1},
	"Script.Hash":      {Results: scriptSum, Ctx: -1},
	"NewScript":        {Results: countedScript, Ctx: -1},
	"Args.Add":         {Results: func(c Call) []keyterm.Term { return []keyterm.Term{joined(c.Arg(0), c.Arg(1))} }, Ctx: -1},
	"Args.AddFlat":     {Results: addFlat, Ctx: -1},
}

// noRoles is for results that say nothing of the reply.
var noRoles = []Role{OtherResult}

// sent reads a command that is given by its name, an argument, and its operands, a list.
func sent(name, operands int) func(Call) []Command {
	return func(c Call) []Command { return later(joined(list(c.Arg(name)), c.Arg(operands))) }
}

// queued is for commands whose reply comes later, by another call.
func queued(read func(Call) []Command) func(Call) []Command {
	return func(c Call) []Command {
		out := read(c)
		for i := range out {
			out[i].Reply, out[i].Queued = NoReply, true
		}
		return out
	}
}

// scriptSum is the SHA1 of a script object.
func scriptSum(c Call) []keyterm.Term { return []keyterm.Term{hashOf(field(c.Arg(0), scriptText))} }

const scriptKeys = "keys"

// countedScript reads NewScript(number of keys, text).
func countedScript(c Call) []keyterm.Term {
	s := scriptObject(c.Arg(1))
	s.Names, s.Args = append(s.Names, scriptKeys), append(s.Args, c.Arg(0))
	return []keyterm.Term{s}
}

// sentScript reads the run of a script whose object knows how many of the operands are keys.
func sentScript(operands int) func(Call) []Command {
	return func(c Call) []Command {
		s := c.Arg(0)
		return later(joined(list(word("EVAL"), field(s, scriptText), field(s, scriptKeys)), c.Arg(operands)))
	}
}

// addFlat reads Args.AddFlat(v): the elements of a list, or a value. What else v may be is unknown.
func addFlat(c Call) []keyterm.Term {
	v := c.Arg(1)
	if v.Op != keyterm.List {
		switch v.Type {
		case "string", "int", "int64", "time.Duration":
			v = list(v)
		default:
			return []keyterm.Term{{}}
		}
	}
	return []keyterm.Term{joined(c.Arg(0), v)}
}
