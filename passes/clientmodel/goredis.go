package clientmodel

import (
	"strconv"
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// goRedis is go-redis: the module of v9, the one it was until v8, and the one before that. Every receiver (Client,
// ClusterClient, Ring, UniversalClient, Cmdable, Pipeliner, Tx, Conn) has the same methods, so rows go by method name
// alone. Source: the package documentation of github.com/redis/go-redis/v9 and the Redis command reference.
var goRedis = library{
	paths: []string{"github.com/redis/go-redis", "github.com/go-redis/redis", "gopkg.in/redis", "gopkg.in/go-redis/redis"},
	rows: func(sub, major string) map[string]Row {
		if sub != "" {
			return nil
		}
		if contexts(major) {
			return goRedisRows
		}
		return goRedisWithoutContext
	},
	objects: []string{"*Cmd"}, accessors: cmdAccessors,
	sentinels: []string{"Nil", "redis: nil"},
}

// compatLibrary is the adapters that give rueidis and valkey-go the methods of go-redis. That of valkey-go is untested.
// Source: the package documentation of github.com/redis/rueidis/rueidiscompat.
var compatLibrary = library{
	paths:   []string{"github.com/redis/rueidis/rueidiscompat", "github.com/valkey-io/valkey-go/valkeycompat"},
	rows:    func(string, string) map[string]Row { return goRedisRows },
	objects: []string{"*Cmd"}, accessors: cmdAccessors,
	sentinels: []string{"Nil"},
}

// cmdAccessors are the methods of IntCmd, BoolCmd, StatusCmd and their like.
var cmdAccessors = map[string][]Role{
	"Err": {ErrResult}, "Val": {ValueResult}, "Result": {ValueResult, ErrResult},
	"Bool": {ValueResult, ErrResult}, "Int": {ValueResult, ErrResult}, "Int64": {ValueResult, ErrResult},
	"Uint64": {ValueResult, ErrResult}, "Text": {ValueResult, ErrResult},
}

// contexts reports whether the functions of a major version take a context: since v8 they do. Versions before v7 were
// no modules and have none in the path.
func contexts(major string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(major, "v"))
	return err == nil && n >= 8
}

var (
	goRedisRows           = goRedisTable(1)
	goRedisWithoutContext = goRedisTable(0)
)

// command describes a command whose operands are plain arguments; an index of 0 means that there is none.
func command(op Op, key, owner, ttl int, unit Unit, guard Guarantee, reply Reply) func(Call) []Command {
	return func(c Call) []Command {
		cmd := Command{Op: op, Key: c.Arg(key), Unit: unit, Guard: guard, Reply: reply}
		if owner > 0 {
			cmd.Owner = c.Arg(owner)
		}
		if ttl > 0 {
			cmd.TTL, cmd.HasTTL = c.Arg(ttl), true
		}
		return []Command{cmd}
	}
}

// goRedisTable makes the rows; n is the number of context arguments (1, or 0 in old versions).
func goRedisTable(n int) map[string]Row {
	key := n + 1
	ctx := n
	if n == 0 {
		ctx = -1
	}
	rows := map[string]Row{
		"SetNX":       {Commands: command(SetIfAbsent, key, key+1, key+2, Duration, UnknownGuarantee, BoolReply)},
		"SetXX":       {Commands: command(SetIfPresent, key, key+1, key+2, Duration, Unchecked, BoolReply)},
		"SetEx":       {Commands: command(Set, key, key+1, key+2, Duration, Unchecked, NoReply)},
		"SetEX":       {Commands: command(Set, key, key+1, key+2, Duration, Unchecked, NoReply)},
		"Set":         {Commands: command(Set, key, key+1, key+2, Duration, Unchecked, NoReply)},
		"SetArgs":     {Commands: func(c Call) []Command { return setArgs(c, key) }},
		"GetSet":      {Commands: command(Set, key, key+1, 0, NoUnit, Unchecked, NoReply)},
		"Get":         {Commands: command(Get, key, 0, 0, NoUnit, UnknownGuarantee, NoReply)},
		"GetEx":       {Commands: func(c Call) []Command { return getEx(c, key) }},
		"GetDel":      {Commands: command(Delete, key, 0, 0, NoUnit, Unchecked, CountReply)},
		"Del":         {Commands: func(c Call) []Command { return deletes(c, key) }},
		"Unlink":      {Commands: func(c Call) []Command { return deletes(c, key) }},
		"DelExArgs":   {Commands: func(c Call) []Command { return delExArgs(c, key) }},
		"Expire":      {Commands: expires(key, Duration)},
		"PExpire":     {Commands: expires(key, Duration)},
		"ExpireGT":    {Commands: expires(key, Duration)},
		"ExpireXX":    {Commands: expires(key, Duration)},
		"ExpireNX":    {Commands: expires(key, Duration)},
		"ExpireLT":    {Commands: expires(key, Duration)},
		"ExpireAt":    {Commands: command(Expire, key, 0, 0, NoUnit, Unchecked, BoolReply)},
		"PExpireAt":   {Commands: command(Expire, key, 0, 0, NoUnit, Unchecked, BoolReply)},
		"Persist":     {Commands: command(Expire, key, 0, 0, NoUnit, Unchecked, BoolReply)},
		"SetIFEQ":     {Commands: setIf(key)},
		"SetIFEQGet":  {Commands: setIf(key)},
		"SetIFDEQ":    {Commands: setIf(key)},
		"SetIFDEQGet": {Commands: setIf(key)},
		"Eval":        {Commands: func(c Call) []Command { return evals(c.Arg(n+1), c.Arg(n+2), c.Arg(n+3)) }},
		"EvalRO":      {},
		"EvalSha":     {Commands: func(c Call) []Command { return evalSha(c.Arg(n+1), c.Arg(n+2), c.Arg(n+3)) }},
		"Script.Hash": {Results: func(c Call) []keyterm.Term {
			return []keyterm.Term{hashOf(field(c.Arg(0), scriptText))}
		}},
		"ScriptLoad":     {Results: func(c Call) []keyterm.Term { return []keyterm.Term{hashOf(c.Arg(n + 1))} }},
		"Script.Run":     {Commands: func(c Call) []Command { return evals(field(c.Arg(0), scriptText), c.Arg(n+2), c.Arg(n+3)) }},
		"Script.Eval":    {Commands: func(c Call) []Command { return evals(field(c.Arg(0), scriptText), c.Arg(n+2), c.Arg(n+3)) }},
		"Script.EvalSha": {Commands: func(c Call) []Command { return evals(field(c.Arg(0), scriptText), c.Arg(n+2), c.Arg(n+3)) }},
		"Do":             {Commands: func(c Call) []Command { return later(c.Arg(n + 1)) }},
		"Process":        {Commands: func(c Call) []Command { return later(newCmdArgs(c.Arg(n + 1))) }},
		"Watch":          {Runs: []int{n + 1}, Watch: n + 2},
		"TxPipelined":    {Runs: []int{n + 1}},
		"Pipelined":      {Runs: []int{n + 1}},
		"NewScript":      {Results: func(c Call) []keyterm.Term { return []keyterm.Term{scriptObject(c.Arg(0))} }},
		"NewCmd":         {Results: func(c Call) []keyterm.Term { return []keyterm.Term{cmdObject(c.Arg(n))} }},
	}
	for name, row := range rows {
		row.Ctx = ctx
		if strings.HasPrefix(name, "New") {
			row.Ctx = -1
		}
		rows[name] = row
	}
	return rows
}

// The fields of the objects that stand for a script and a command in the symbolic language.
const (
	ScriptType = "redis.Script"
	scriptText = "src"
	cmdType    = "redis.Cmd"
	cmdArgs    = "args"
)

func scriptObject(text keyterm.Term) keyterm.Term {
	return keyterm.Term{Op: keyterm.Object, Text: ScriptType, Names: []string{scriptText}, Args: []keyterm.Term{text}}
}

func cmdObject(args keyterm.Term) keyterm.Term {
	return keyterm.Term{Op: keyterm.Object, Text: cmdType, Names: []string{cmdArgs}, Args: []keyterm.Term{args}}
}

func newCmdArgs(cmd keyterm.Term) keyterm.Term { return field(cmd, cmdArgs) }

// field reads a field of an argument, an object made elsewhere included.
func field(base keyterm.Term, name string) keyterm.Term {
	return keyterm.Term{Op: keyterm.Field, Text: name, Args: []keyterm.Term{base}}.Norm()
}

// KeepTTL is what go-redis takes, in nanoseconds, for "leave the TTL as it is". A key that is not there has none.
const KeepTTL = -1

// setArgs reads SetArgs(ctx, key, value, SetArgs{Mode, TTL, ExpireAt, KeepTTL}).
func setArgs(c Call, key int) []Command {
	a := c.Arg(key + 2)
	cmd := Command{Op: Set, Key: c.Arg(key), Owner: c.Arg(key + 1), TTL: field(a, "TTL"), HasTTL: true,
		Unit: Duration, Guard: Unchecked}
	if at := field(a, "ExpireAt"); !isZero(at) || isTrue(field(a, "KeepTTL")) {
		cmd.TTL, cmd.Unit = keyterm.Term{}, NoUnit
	}
	switch mode := field(a, "Mode"); {
	case mode.Op != keyterm.Const:
		return []Command{{Op: NoOp}}
	case strings.EqualFold(mode.Text, "NX"):
		cmd.Op, cmd.Reply, cmd.Guard = SetIfAbsent, StatusReply, UnknownGuarantee
	case strings.EqualFold(mode.Text, "XX"):
		cmd.Op, cmd.Reply = SetIfPresent, StatusReply
	}
	return []Command{cmd}
}

func isZero(t keyterm.Term) bool {
	return t.Op == keyterm.Const && (t.Text == "" || t.Text == "0" || t.Text == "nil") || t.Op == keyterm.Object && len(t.Args) == 0
}

func isTrue(t keyterm.Term) bool { return t.Op == keyterm.Const && t.Text == "true" }

// deletes reads Del(ctx, keys...): one command for each key.
func deletes(c Call, key int) []Command {
	var out []Command
	for _, k := range elements(c.Arg(key)) {
		out = append(out, Command{Op: Delete, Key: k, Guard: Unchecked, Reply: CountReply})
	}
	return out
}

// elements are the elements of a list; a list that is not known has one unknown element.
func elements(t keyterm.Term) []keyterm.Term {
	if t.Op == keyterm.List {
		return t.Args
	}
	return []keyterm.Term{{}}
}

// delExArgs reads DelExArgs(ctx, key, DelExArgs{Mode, MatchValue, MatchDigest}): DELEX of Redis 8.4.
func delExArgs(c Call, key int) []Command {
	a := c.Arg(key + 1)
	cmd := Command{Op: Delete, Key: c.Arg(key), Guard: Unchecked, Reply: CountReply}
	switch mode := field(a, "Mode"); {
	case mode.Op != keyterm.Const:
		return nil
	case strings.EqualFold(mode.Text, "IFEQ"):
		cmd.Op, cmd.Guard, cmd.Owner = CompareAndDelete, Atomic, field(a, "MatchValue")
	case strings.EqualFold(mode.Text, "IFDEQ"):
		cmd.Op, cmd.Guard = CompareAndDelete, Atomic // a digest of the owner value
	case strings.EqualFold(mode.Text, "IFNE"), strings.EqualFold(mode.Text, "IFDNE"):
		cmd.Guard, cmd.Owner = UnknownGuarantee, field(a, "MatchValue")
		cmd.Faults = []Fault{{Rule: "compare-inverted", Text: "DELEX " + strings.ToUpper(mode.Text) +
			" deletes the key unless it holds the given value: the owner cannot, and everybody else can"}}
	case mode.Text != "":
		return nil
	}
	return []Command{cmd}
}

// getEx reads GetEx(ctx, key, d): it reads, and sets the TTL in the same step, whoever owns the key.
func getEx(c Call, key int) []Command {
	return []Command{{Op: Get, Key: c.Arg(key)},
		{Op: Expire, Key: c.Arg(key), TTL: c.Arg(key + 1), HasTTL: true, Unit: Duration, Guard: Unchecked}}
}

func setIf(key int) func(Call) []Command {
	return func(c Call) []Command {
		return []Command{{Op: CompareAndSet, Key: c.Arg(key), Owner: c.Arg(key + 2), TTL: c.Arg(key + 3), HasTTL: true,
			Unit: Duration, Guard: Atomic, Reply: StatusReply}}
	}
}

// expires reads Expire(ctx, key, d). A constant of zero or less deletes the key.
func expires(key int, unit Unit) func(Call) []Command {
	return func(c Call) []Command {
		ttl := c.Arg(key + 1)
		if d, ok := number(ttl); ok && d <= 0 {
			return []Command{{Op: Delete, Key: c.Arg(key), Guard: Unchecked, Reply: BoolReply}}
		}
		return []Command{{Op: Expire, Key: c.Arg(key), TTL: ttl, HasTTL: true, Unit: unit, Guard: Unchecked, Reply: BoolReply}}
	}
}

// number is the value of an integer constant; the zero value of a field counts.
func number(t keyterm.Term) (int64, bool) {
	if t.Op != keyterm.Const {
		return 0, false
	}
	if t.Text == "" && t.Index == 1 {
		return 0, true
	}
	n, err := strconv.ParseInt(t.Text, 10, 64)
	return n, err == nil
}
