package lockfacts

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/clientmodel/lua"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// expand replaces the run of a script by what the script does, once its text is known.
func (u *unit) expand(e Effect) []Effect {
	if e.Op == clientmodel.RunWords {
		return u.expandWords(e)
	}
	if e.Op != clientmodel.RunScript {
		return []Effect{e}
	}
	e.Script = clientmodel.Source(u.resolve(e.Script))
	if e.Script.Op != keyterm.Const {
		if dependsOnParams(e.Script) {
			return []Effect{e}
		}
		u.unknown("script text not found", e.At.Pos)
		return nil
	}
	s := u.script(e.Script.Text)
	faults := slices.Concat(e.Faults, s.Faults, missing(s, e))
	var out []Effect
	for _, x := range s.Effects {
		out = append(out, forever(scripted(e, x), s, x))
	}
	// A fault of the script stands with the last of its effects that is one on a lock.
	last := -1
	for i := range out {
		if out[i].Op != clientmodel.NoOp {
			last = i
		}
	}
	switch {
	case last >= 0:
		out[last].Faults = slices.Concat(out[last].Faults, faults)
	case len(faults) > 0:
		e.Op, e.Faults = clientmodel.Get, faults // something that does nothing, to carry the fault
		if len(e.Keys) > 0 {
			e.Key = e.Keys[0]
		}
		out = append(out, e)
	}
	return out
}

// expandWords replaces a command that is given as a list of words by what it does, once the words are known.
func (u *unit) expandWords(e Effect) []Effect {
	e.Script = u.resolve(e.Script)
	commands := clientmodel.Words(e.Script)
	if len(commands) == 0 {
		if dependsOnParams(e.Script) {
			return []Effect{e}
		}
		return nil
	}
	var out []Effect
	for _, cmd := range commands {
		x := commanded(cmd)
		x.Client, x.Ctx, x.At, x.Queued = e.Client, e.Ctx, e.At, e.Queued
		x.Path, x.KeyAt, x.TTLAt = e.Path, e.KeyAt, e.TTLAt
		x.Async, x.Maybe, x.OnError, x.Conditional = e.Async, e.Maybe || x.Maybe, e.OnError, e.Conditional
		out = append(out, u.expand(x)...)
	}
	return out
}

func (u *unit) script(text string) lua.Script {
	s, ok := u.scripts[text]
	if !ok {
		s = lua.Read(text)
		u.scripts[text] = s
	}
	return s
}

// scripted is one effect of a script, with the operands that the call hands in.
func scripted(e Effect, x lua.Effect) Effect {
	out := e
	out.Op, out.Guard, out.HasTTL, out.Unit, out.Maybe = x.Op, x.Guard, x.HasTTL, x.Unit, e.Maybe || x.Maybe
	out.Key, out.Owner, out.TTL = operand(e, x.Key), operand(e, x.Value), operand(e, x.TTL)
	out.Script, out.Keys, out.Args = keyterm.Term{}, nil, nil
	out.Faults, out.Reply = x.Faults, replyOf(x)
	return out
}

// replyOf says how the script's reply tells that it did what it is for. Where the reply tells nothing, nothing is
// assumed of it.
func replyOf(x lua.Effect) clientmodel.Reply {
	has := func(list []lua.Reply, kind lua.ReplyKind, text string) bool {
		for _, r := range list {
			if r.Kind == kind && (text == "" || r.Text == text && !r.Any) {
				return true
			}
		}
		return false
	}
	switch {
	case has(x.Done, lua.IntReply, "1") && !has(x.Not, lua.IntReply, "1"):
		return clientmodel.IntReply
	case has(x.Not, lua.NilReply, "") && !has(x.Done, lua.NilReply, ""):
		return clientmodel.StatusReply
	}
	return clientmodel.NoReply
}

// forever adds to an acquire that no command of its script gives a TTL that it has none. A script that was not read to
// the end may give one after all.
func forever(e Effect, s lua.Script, x lua.Effect) Effect {
	if x.Op == clientmodel.SetIfAbsent && !x.HasTTL && !x.Maybe && !x.Never && !s.Unknown {
		e.TTL, e.HasTTL, e.Unit = keyterm.Term{Op: keyterm.Const, Text: "0"}, true, clientmodel.Millis
	}
	return e
}

// operand is what the script calls KEYS[n] or ARGV[n].
func operand(e Effect, o lua.Operand) keyterm.Term {
	pick := func(list []keyterm.Term, i int) keyterm.Term {
		if i < 1 || i > len(list) {
			return keyterm.Term{}
		}
		return list[i-1]
	}
	var t keyterm.Term
	switch o.Kind {
	case lua.Key:
		t = pick(e.Keys, o.Index)
	case lua.Arg:
		t = pick(e.Args, o.Index)
	case lua.Const:
		return keyterm.Term{Op: keyterm.Const, Text: o.Text}
	default:
		return keyterm.Term{}
	}
	if o.Divide > 1 || o.Offset != 0 || o.Scale < 0 { // what a script adds to or divides is not followed
		return keyterm.Term{}
	}
	if o.Scale > 1 {
		by := keyterm.Term{Op: keyterm.Const, Text: strconv.FormatInt(o.Scale, 10)}
		t = arith(token.MUL, t, by).Norm()
	}
	if o.Prefix != "" || o.Suffix != "" {
		t = keyterm.Term{Op: keyterm.Concat, Args: []keyterm.Term{
			{Op: keyterm.Const, Text: o.Prefix}, t, {Op: keyterm.Const, Text: o.Suffix}}}.Norm()
	}
	return t
}

// missing are the operands that the script needs to give a lock back or to extend it, and that the call does not hand in.
// What it reads besides may well be left out: an ARGV that is not there is nil, and scripts ask for that.
func missing(s lua.Script, e Effect) []clientmodel.Fault {
	keys, args := needed(s)
	var out []clientmodel.Fault
	if e.KeysKnown && keys > len(e.Keys) {
		out = append(out, clientmodel.Fault{Rule: "missing-key",
			Text: fmt.Sprintf("the script reads KEYS[%d], but %d key(s) are passed", keys, len(e.Keys))})
	}
	if e.ArgsKnown && args > len(e.Args) {
		out = append(out, clientmodel.Fault{Rule: "missing-argument",
			Text: fmt.Sprintf("the script reads ARGV[%d], but %d argument(s) are passed", args, len(e.Args))})
	}
	return out
}

// needed is how many keys and arguments a script takes that releases or extends: all its keys, for a command without one
// fails, and the arguments that the release or extend uses.
func needed(s lua.Script) (keys, args int) {
	for _, x := range s.Effects {
		if !x.Op.Releases() && !x.Op.Extends() {
			continue
		}
		keys = s.Keys
		for _, o := range []lua.Operand{x.Value, x.TTL} {
			if o.Kind == lua.Arg {
				args = max(args, o.Index)
			}
		}
	}
	return keys, args
}
