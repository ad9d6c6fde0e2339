package clientmodel

import (
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// evals reads a call that runs a script: its text, KEYS as a list, ARGV as a list.
func evals(text, keys, args keyterm.Term) []Command {
	cmd := Command{Op: RunScript, Script: text, Reply: IntReply}
	cmd.Keys, cmd.KeysKnown = known(keys)
	cmd.Args, cmd.ArgsKnown = spread(args)
	return []Command{cmd}
}

// evalSha reads EvalSha: a script by its SHA1.
func evalSha(sum, keys, args keyterm.Term) []Command {
	if sum.Op != keyterm.Const || isSHA1(sum.Text) {
		return evals(hashedText(sum), keys, args)
	}
	out := evals(sum, keys, args)
	out[0].Faults = []Fault{{Rule: "sha", Text: "EVALSHA is given the text of the script where its SHA1 belongs, so that Redis answers NOSCRIPT"}}
	return out
}

func isSHA1(s string) bool {
	return len(s) == 40 && strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
}

// known are the elements of a list, and whether they are all of them. A nil slice is the empty list.
func known(t keyterm.Term) ([]keyterm.Term, bool) {
	if t.Op == keyterm.List {
		return t.Args, true
	}
	if t.Op == keyterm.Const {
		return nil, true
	}
	return nil, false
}

// spread are the arguments of a script. The one argument of a call may be a list or a map itself: clients hand its
// elements to the script one by one. Of an interface value nobody knows whether it is one.
func spread(t keyterm.Term) ([]keyterm.Term, bool) {
	all, ok := known(t)
	if !ok || len(all) != 1 {
		return all, ok
	}
	only := all[0].Strip()
	switch {
	case only.Op == keyterm.List:
		return only.Args, true
	case strings.HasPrefix(only.Type, "[]") && only.Type != "[]byte", strings.HasPrefix(only.Type, "map["):
		return nil, false
	}
	return all, only.Type != "any" && only.Type != "interface {}" && only.Type != "interface{}"
}

// sumOf is the SHA1 of a script's text, and sourceOf the text whose SHA1 a value is: what SCRIPT LOAD returns is kept
// until EVALSHA runs it.
const (
	sumOf    = "redis.sha1"
	sourceOf = "redis.source"
)

func hashOf(text keyterm.Term) keyterm.Term {
	return keyterm.Term{Op: keyterm.Call, Text: sumOf, Args: []keyterm.Term{text}}
}

// hashedText is the script of which a term is the hash.
func hashedText(hash keyterm.Term) keyterm.Term {
	return Source(keyterm.Term{Op: keyterm.Call, Text: sourceOf, Args: []keyterm.Term{hash}})
}

// Source is the text of a script that is given by its sum, once it is known where the sum comes from.
func Source(script keyterm.Term) keyterm.Term {
	if script.Op != keyterm.Call || script.Text != sourceOf || len(script.Args) == 0 {
		return script
	}
	sum := script.Args[0].Strip()
	switch {
	case sum.Op == keyterm.Call && sum.Text == sumOf:
		return sum.Args[0].Strip()
	case sum.Op == keyterm.Unknown:
		return keyterm.Term{}
	}
	return script
}

// IsSum reports whether a value is a script's SHA1: the reply of SCRIPT LOAD is one as it is.
func IsSum(t keyterm.Term) bool { return t.Op == keyterm.Call && t.Text == sumOf }
