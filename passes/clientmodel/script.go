package clientmodel

import (
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// evals reads a call that runs a script: its text, KEYS as a list, ARGV as a list.
func evals(text, keys, args keyterm.Term) []Command {
	cmd := Command{Op: RunScript, Script: text, Reply: IntReply}
	cmd.Keys, cmd.KeysKnown = known(keys)
	cmd.Args, cmd.ArgsKnown = known(args)
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

// runScript is evals for operands that are known one by one.
func runScript(text keyterm.Term, keys, args []keyterm.Term, known bool) []Command {
	return []Command{{Op: RunScript, Script: text, Keys: keys, KeysKnown: known, Args: args, ArgsKnown: known, Reply: IntReply}}
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

// hashedText is the script of which a term is the hash.
func hashedText(hash keyterm.Term) keyterm.Term {
	if hash.Op == keyterm.Field && hash.Text == "hash" {
		return field(hash.Args[0], scriptText)
	}
	return keyterm.Term{}
}
