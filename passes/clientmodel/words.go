package clientmodel

import (
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// Words reads a command that is given as a list of words; nil where it does nothing to a key that is known, or where the
// words that say so are not known.
func Words(list keyterm.Term) []Command { return words(list) }

// later is a command whose words only the callers know.
func later(list keyterm.Term) []Command {
	if out := words(list); len(out) > 0 {
		return out
	}
	if irrelevant(list) {
		return nil
	}
	return []Command{{Op: RunWords, Script: list}}
}

// wordLists is the term of lists of words, one after the other, of which some are only known to the callers.
const wordLists = "words of"

// joined puts lists of words together.
func joined(lists ...keyterm.Term) keyterm.Term {
	all := keyterm.Term{Op: keyterm.List}
	for _, l := range lists {
		w, ok := known(flat(l))
		if !ok {
			return keyterm.Term{Op: keyterm.Call, Text: wordLists, Args: lists}
		}
		all.Args = append(all.Args, w...)
	}
	return all
}

// flat makes one list of lists that a substitution has made known.
func flat(t keyterm.Term) keyterm.Term {
	if t.Op == keyterm.Call && t.Text == wordLists {
		return joined(t.Args...)
	}
	return t
}

// list is a list of words.
func list(w ...keyterm.Term) keyterm.Term { return keyterm.Term{Op: keyterm.List, Args: w} }

func word(s string) keyterm.Term { return keyterm.Term{Op: keyterm.Const, Text: s} }

// words reads a command that is given as words: Do(ctx, "SET", key, value, "NX", "PX", 5000), in a spread slice too.
func words(list keyterm.Term) []Command {
	w := elements(flat(list))
	if len(w) == 0 || w[0].Op != keyterm.Const {
		return nil
	}
	read, ok := commandWords[strings.ToUpper(w[0].Text)]
	if !ok || len(w) <= read.least {
		return nil
	}
	return read.words(w)
}

// irrelevant reports whether the words begin with the name of a command that does nothing to locks.
func irrelevant(list keyterm.Term) bool {
	if list.Op == keyterm.Call && list.Text == wordLists {
		return irrelevant(list.Args[0])
	}
	if list.Op != keyterm.List || len(list.Args) == 0 || list.Args[0].Op != keyterm.Const {
		return false
	}
	return commandWords[strings.ToUpper(list.Args[0].Text)].words == nil
}

// commandWords are the commands that matter, with the number of operands that they have at least. Source: the Redis
// command reference.
var commandWords = map[string]struct {
	least int
	words func(w []keyterm.Term) []Command
}{
	"SET":       {2, setWords},
	"SETNX":     {2, func(w []keyterm.Term) []Command { return stored(SetIfAbsent, w[1], w[2], zeroTTL, Seconds, IntReply) }},
	"SETEX":     {3, func(w []keyterm.Term) []Command { return stored(Set, w[1], w[3], w[2], Seconds, NoReply) }},
	"PSETEX":    {3, func(w []keyterm.Term) []Command { return stored(Set, w[1], w[3], w[2], Millis, NoReply) }},
	"GETSET":    {2, func(w []keyterm.Term) []Command { return stored(Set, w[1], w[2], zeroTTL, Seconds, NoReply) }},
	"GET":       {1, func(w []keyterm.Term) []Command { return []Command{{Op: Get, Key: w[1]}} }},
	"GETEX":     {1, getexWords},
	"GETDEL":    {1, deleteWords},
	"DEL":       {1, deleteWords},
	"UNLINK":    {1, deleteWords},
	"DELEX":     {1, delexWords},
	"EXPIRE":    {2, func(w []keyterm.Term) []Command { return expireWords(w[1], w[2], Seconds) }},
	"PEXPIRE":   {2, func(w []keyterm.Term) []Command { return expireWords(w[1], w[2], Millis) }},
	"EXPIREAT":  {1, prolonged},
	"PEXPIREAT": {1, prolonged},
	"PERSIST":   {1, prolonged},
	"EVAL":      {2, evalWords},
	"EVALSHA":   {2, evalWords},
	"WATCH":     {1, watchWords},
	"MULTI":     {0, func([]keyterm.Term) []Command { return []Command{{Op: Begin}} }},
}

func stored(op Op, key, owner, ttl keyterm.Term, unit Unit, reply Reply) []Command {
	cmd := Command{Op: op, Key: key, Owner: owner, TTL: ttl, HasTTL: true, Unit: unit, Reply: reply}
	if op == Set {
		cmd.Guard = Unchecked
	}
	return []Command{cmd}
}

func deleteWords(w []keyterm.Term) []Command {
	return deletes(Call{Args: []keyterm.Term{list(w[1:]...)}}, 0)
}

func getexWords(w []keyterm.Term) []Command {
	if len(w) == 2 {
		return []Command{{Op: Get, Key: w[1]}}
	}
	return []Command{{Op: Get, Key: w[1]}, {Op: Expire, Key: w[1], Guard: Unchecked}}
}

func prolonged(w []keyterm.Term) []Command {
	return []Command{{Op: Expire, Key: w[1], Guard: Unchecked, Reply: IntReply}}
}

func watchWords(w []keyterm.Term) []Command {
	var out []Command
	for _, k := range w[1:] {
		out = append(out, Command{Op: Watch, Key: k})
	}
	return out
}

var zeroTTL = keyterm.Term{Op: keyterm.Const, Text: "0"}

// setWords reads the options of SET. An option that is not a constant makes the command unknown.
func setWords(w []keyterm.Term) []Command {
	cmd := Command{Op: Set, Key: w[1], Owner: w[2], TTL: zeroTTL, HasTTL: true, Unit: Seconds, Guard: Unchecked, Reply: StatusReply}
	for i := 3; i < len(w); i++ {
		if w[i].Op != keyterm.Const {
			return nil
		}
		switch strings.ToUpper(w[i].Text) {
		case "NX":
			cmd.Op, cmd.Guard = SetIfAbsent, UnknownGuarantee
		case "XX":
			cmd.Op = SetIfPresent
		case "IFEQ":
			i++
			cmd.Op, cmd.Guard = CompareAndSet, Atomic
			if i < len(w) {
				cmd.Owner = w[i]
			}
		case "KEEPTTL":
			cmd.HasTTL = false
		case "GET":
			cmd.Reply = NoReply // it is what was there before
		case "IFNE", "IFDEQ", "IFDNE":
			return nil
		case "EX", "PX", "EXAT", "PXAT", durationWord:
			cmd.Unit = setUnit[strings.ToUpper(w[i].Text)]
			i++
			cmd.TTL = keyterm.Term{}
			if i < len(w) {
				cmd.TTL = w[i]
			}
		}
	}
	if cmd.Op == SetIfAbsent && !cmd.HasTTL { // a key that is not there has none to keep
		cmd.HasTTL = true
	}
	return []Command{cmd}
}

// durationWord is not a word of Redis: builders that take a time.Duration put it where EX or PX stands in the end.
const durationWord = "DURATION"

var setUnit = map[string]Unit{"EX": Seconds, "PX": Millis, "EXAT": UnixSeconds, "PXAT": UnixMillis, durationWord: Duration}

func delexWords(w []keyterm.Term) []Command {
	cmd := Command{Op: Delete, Key: w[1], Guard: Unchecked, Reply: CountReply}
	if len(w) == 2 {
		return []Command{cmd}
	}
	if len(w) == 4 && w[2].Op == keyterm.Const && strings.EqualFold(w[2].Text, "IFEQ") {
		cmd.Op, cmd.Guard, cmd.Owner = CompareAndDelete, Atomic, w[3]
		return []Command{cmd}
	}
	return nil
}

func expireWords(key, ttl keyterm.Term, unit Unit) []Command {
	if n, ok := number(ttl); ok && n <= 0 {
		return []Command{{Op: Delete, Key: key, Guard: Unchecked, Reply: IntReply}}
	}
	return []Command{{Op: Expire, Key: key, TTL: ttl, HasTTL: true, Unit: unit, Guard: Unchecked, Reply: IntReply}}
}

// evalWords reads EVAL script numkeys key... arg..., and EVALSHA with the hash of a script that is known.
func evalWords(w []keyterm.Term) []Command {
	n, ok := number(w[2])
	if ok && n < 0 && len(w) > 3 { // how redigo's scripts say that their first operand is the number of keys
		w = append([]keyterm.Term{w[0], w[1]}, w[3:]...)
		n, ok = number(w[2])
	}
	if !ok || n < 0 || int(n) > len(w)-3 {
		return nil
	}
	keys, args := list(w[3:3+n]...), list(w[3+n:]...)
	if strings.EqualFold(w[0].Text, "EVALSHA") {
		return evalSha(w[1], keys, args)
	}
	return evals(w[1], keys, args)
}
