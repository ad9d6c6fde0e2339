package directive

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/internal/kinds"
)

// shape is how what follows a verb is written.
type shape uint8

const (
	kindsReason shape = iota // KIND[,KIND/RULE] reason
	classReason              // CLASS reason
	reasonOnly               // reason
	operands                 // name=value ... [reason]
)

// grammar is what may follow a verb, and where the directive may stand.
type grammar struct {
	usage string
	shape shape
	on    []TargetKind
	may   []string // names of operands
	must  []string // names of operands that are not optional
}

// callable is what has parameters.
var callable = []TargetKind{Function, Method}

// grammars has a row for each verb.
var grammars = map[string]grammar{
	Ignore: {
		usage: "ignore KIND[,KIND/RULE] reason", shape: kindsReason,
		on: []TargetKind{Line, Code, Declaration, Function, Method},
	},
	GuardedBy:    {usage: "guardedby CLASS reason", shape: classReason, on: callable},
	ExternalOnly: {usage: "external-only reason", shape: reasonOnly, on: callable},
	NoLock:       {usage: "nolock reason", shape: reasonOnly, on: []TargetKind{Package}},
	Acquire: {
		usage: "acquire key=NAME [owner=NAME] [ttl=NAME]", shape: operands, on: callable,
		may: []string{"key", "owner", "ttl"}, must: []string{"key"},
	},
	Release: {
		usage: "release key=NAME [owner=NAME]", shape: operands, on: callable,
		may: []string{"key", "owner"}, must: []string{"key"},
	},
	Extend: {
		usage: "extend key=NAME [owner=NAME] [ttl=NAME]", shape: operands, on: callable,
		may: []string{"key", "owner", "ttl"}, must: []string{"key"},
	},
	Runs: {
		usage: "runs fn=NAME key=NAME [owner=NAME] [ttl=NAME]", shape: operands, on: callable,
		may: []string{"fn", "key", "owner", "ttl"}, must: []string{"fn", "key"},
	},
}

// verbs lists what may follow the prefix, sorted.
func verbs() []string { return slices.Sorted(maps.Keys(grammars)) }

// parse takes the text of d apart.
func (d *Directive) parse() {
	verb, rest, _ := strings.Cut(d.text, " ")
	d.Verb = verb
	g, known := grammars[verb]
	if !known {
		d.Problem = unknown("directive", verb, verbs())
		return
	}
	switch g.shape {
	case kindsReason:
		d.parseKinds(rest)
	case classReason:
		d.Class, d.Reason, _ = strings.Cut(rest, " ")
	case reasonOnly:
		d.Reason = rest
	case operands:
		d.parseOperands(rest)
	}
}

func (d *Directive) parseKinds(rest string) {
	list, reason, _ := strings.Cut(rest, " ")
	d.Reason = reason
	if list == "" {
		d.Problem = "it names no kind"
		return
	}
	for item := range strings.SplitSeq(list, ",") {
		kind, rule, slash := strings.Cut(item, "/")
		if kind == "" || slash && rule == "" {
			d.Problem = fmt.Sprintf("%q is no list of kinds: separate them by commas without spaces", list)
			return
		}
		d.Kinds = append(d.Kinds, Selector{Kind: kind, Rule: rule})
	}
}

// parseOperands reads pairs up to the first word that is none: what follows is free text.
func (d *Directive) parseOperands(rest string) {
	for rest != "" {
		word, after, _ := strings.Cut(rest, " ")
		name, value, isPair := strings.Cut(word, "=")
		if !isPair {
			break
		}
		d.Args = append(d.Args, Arg{Name: name, Value: value})
		rest = after
	}
	d.Reason = rest
}

// unknown says that a word is none of those that may stand there.
func unknown(what, word string, words []string) string {
	if word == "" {
		return fmt.Sprintf("it names no %s", what)
	}
	if near := kinds.Closest(word, words); near != "" {
		return fmt.Sprintf("unknown %s %q, did you mean %q?", what, word, near)
	}
	return fmt.Sprintf("unknown %s %q", what, word)
}
