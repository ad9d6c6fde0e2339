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
	return []Command{{Op: RunWords, Script: list}}
}

// words reads a command that is given as words: Do(ctx, "SET", key, value, "NX", "PX", 5000), in a spread slice too.
func words(list keyterm.Term) []Command {
	w := elements(list)
	if len(w) < 2 || w[0].Op != keyterm.Const {
		return nil
	}
	arg := func(i int) keyterm.Term {
		if i < len(w) {
			return w[i]
		}
		return keyterm.Term{}
	}
	key := arg(1)
	switch strings.ToUpper(w[0].Text) {
	case "SET":
		return setWords(w)
	case "SETNX":
		return []Command{{Op: SetIfAbsent, Key: key, Owner: arg(2), TTL: zeroTTL, HasTTL: true, Unit: Seconds, Reply: IntReply}}
	case "SETEX":
		return []Command{{Op: Set, Key: key, Owner: arg(3), TTL: arg(2), HasTTL: true, Unit: Seconds, Guard: Unchecked}}
	case "PSETEX":
		return []Command{{Op: Set, Key: key, Owner: arg(3), TTL: arg(2), HasTTL: true, Unit: Millis, Guard: Unchecked}}
	case "GET":
		return []Command{{Op: Get, Key: key}}
	case "GETEX":
		if len(w) == 2 {
			return []Command{{Op: Get, Key: key}}
		}
		return []Command{{Op: Get, Key: key}, {Op: Expire, Key: key, Guard: Unchecked}}
	case "GETDEL":
		return []Command{{Op: Delete, Key: key, Guard: Unchecked, Reply: CountReply}}
	case "DEL", "UNLINK":
		return deletes(Call{Args: []keyterm.Term{{Op: keyterm.List, Args: w[1:]}}}, 0)
	case "DELEX":
		return delexWords(w)
	case "EXPIRE":
		return expireWords(key, arg(2), Seconds)
	case "PEXPIRE":
		return expireWords(key, arg(2), Millis)
	case "EXPIREAT", "PEXPIREAT", "PERSIST":
		return []Command{{Op: Expire, Key: key, Guard: Unchecked, Reply: IntReply}}
	case "EVAL":
		return evalWords(w)
	}
	return nil
}

var zeroTTL = keyterm.Term{Op: keyterm.Const, Text: "0"}

// setWords reads the options of SET. An option that is not a constant makes the command unknown.
func setWords(w []keyterm.Term) []Command {
	if len(w) < 3 {
		return nil
	}
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
		case "EX", "PX", "EXAT", "PXAT":
			cmd.Unit = setUnit[strings.ToUpper(w[i].Text)]
			i++
			cmd.TTL = keyterm.Term{}
			if i < len(w) {
				cmd.TTL = w[i]
			}
		}
	}
	return []Command{cmd}
}

var setUnit = map[string]Unit{"EX": Seconds, "PX": Millis, "EXAT": UnixSeconds, "PXAT": UnixMillis}

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

// evalWords reads EVAL script numkeys key... arg...
func evalWords(w []keyterm.Term) []Command {
	if len(w) < 3 {
		return nil
	}
	n, ok := number(w[2])
	if !ok || n < 0 || int(n) > len(w)-3 {
		return nil
	}
	return runScript(w[1], w[3:3+n], w[3+n:], true)
}
