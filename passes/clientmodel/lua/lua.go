// Package lua reads a Redis Lua script and says what it does to keys.
//
// The script is executed symbolically, once per path: KEYS and ARGV are symbols, and every question that the script asks
// of Redis ("is the key there?", "is its value ARGV[1]?") splits the path in two. What a command means follows from the
// answers that its path stands on: a DEL on paths where the value was the caller's is a compare-and-delete, a SET on
// paths where the key was absent is a set-if-absent. Names, spacing, helper functions and the order of the tests do not
// matter. What the reader does not understand ends in "unknown" (Script.Unknown, Effect.Maybe, UnknownGuarantee), never
// in a guess.
//
// Files: lua.go is the interface; parse.go bounds and parses the text; value.go holds the symbolic values; path.go
// explores paths and splits them; stmt.go, expr.go, compare.go and library.go execute Lua; command.go and its siblings
// execute Redis commands; guard.go asks what a path knows about a key; effects.go and judge.go sum up over all paths.
package lua

import (
	"strconv"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// OperandKind says where an operand of a command comes from.
type OperandKind uint8

// The kinds of operands.
const (
	None  OperandKind = iota // the command has no such operand
	Key                      // KEYS[Index]
	Arg                      // ARGV[Index]
	Const                    // the constant Text
	Other                    // anything else; Text describes it
)

// Operand is a key, a value or a TTL as the script writes it.
type Operand struct {
	Kind OperandKind
	// Index is that of KEYS or ARGV, from 1. It is 0 where it was computed: one of them, or each of them in turn.
	Index int
	// Text is the constant, or for Other a description that is the same for the same expression.
	Text string
	// Scale, Divide and Offset say that a number was computed as ARGV[Index] * Scale / Divide + Offset. A Scale or
	// Divide of 0 or 1 means none.
	Scale, Divide, Offset int64
	// Prefix and Suffix are constant texts around KEYS[Index] or ARGV[Index].
	Prefix, Suffix string
}

// ReplyKind is the type of a script's reply, as the client sees it.
type ReplyKind uint8

// The kinds of replies. AnyReply is one whose type is not known.
const (
	AnyReply ReplyKind = iota
	NilReply
	IntReply
	StringReply
	StatusReply
	ErrorReply
	ArrayReply
)

// Positive is the text of an integer reply of which is only known that it is above zero.
const Positive = ">0"

// Reply is one reply that the script can give.
type Reply struct {
	Kind ReplyKind
	// Text is the number, string or status.
	Text string
	// Any is true where only the kind is known. Text is then empty, or Positive for what INCR counts.
	Any bool
}

// Effect is what the script does to one key.
type Effect struct {
	// Op is the operation; NoOp for a command that the model has no word for (INCR, LPUSH ...).
	Op clientmodel.Op
	// Key is the key. Value is the value that is stored, or, for a comparison, the one that was compared with.
	Key, Value, TTL Operand
	// HasTTL is true where a command says something about the TTL, in the same script as the acquire.
	HasTTL bool
	Unit   clientmodel.Unit
	// Guard is Atomic for compare-and-something, Unchecked for a plain delete, expire or set, and unknown where the
	// value is looked at in a way that the reader cannot judge.
	Guard clientmodel.Guarantee
	// Maybe is true where it happens only under a condition that the reader does not understand. That the key is there,
	// or that its value is the caller's, is understood.
	Maybe bool
	// Reentrant is true for a SetIfAbsent that also succeeds, and prolongs the lease, for the value that holds the key.
	Reentrant bool
	// Never is true where the script means this but cannot get there: its Faults, or those of the script, say why.
	Never bool
	// Done are the replies that only come when the effect happened (for a SetIfAbsent: when the caller holds the key
	// now), Not those that only come when it did not. A reply in neither tells nothing.
	Done, Not []Reply
	// Faults are what is wrong with this effect: "compare-inverted", "compares-with-key", "compares-other-key",
	// "compares-constant", "compares-with-ttl", "compares-type", "nil-compare", "status-compare", "zero-is-true".
	Faults []clientmodel.Fault
}

// Script is what a script does.
type Script struct {
	Effects []Effect
	// Keys and Args are the highest constant indexes of KEYS and ARGV that the script needs. An index that the script
	// only reads after asking whether it is there does not count.
	Keys, Args int
	// Dynamic is true where an index was computed, or the number of KEYS or ARGV is looked at.
	Dynamic bool
	// Unknown is true where a part could not be read: Effects may be incomplete.
	Unknown bool
	// Counts is true where the script counts or queues (INCR, ZADD, LPUSH ...) and does not lock: a counter, a rate
	// limiter, a semaphore, a queue.
	Counts bool
	// Faults are faults of the script as a whole: "syntax", "key-index-zero", "unknown-global", "global-write".
	Faults []clientmodel.Fault
}

// Read says what the script with the given text does. It never fails: what it cannot read is unknown.
func Read(text string) (result Script) {
	defer func() {
		// A fault of the reader, or of the parser below it, must not cost the run.
		if recover() != nil {
			result = Script{Unknown: true}
		}
	}()
	chunk, fault, ok := parseScript(text)
	if fault != nil {
		return Script{Faults: []clientmodel.Fault{*fault}}
	}
	if !ok {
		return Script{Unknown: true}
	}
	return readChunk(chunk)
}

// readChunk executes the script as Redis would and, where a comparison in it can never be true, once more as its author
// meant it. The second reading only adds what the first does not have.
func readChunk(chunk chunk) Script {
	real := explore(chunk, false)
	if real.lost {
		return Script{Unknown: true, Faults: real.faults.list}
	}
	script := real.summarise()
	if len(real.never.list) == 0 {
		return script
	}
	meant := explore(chunk, true)
	if meant.lost {
		return script
	}
	return mergeMeant(script, meant.summarise(), real.never.list)
}

// String writes the operand the way a script would.
func (o Operand) String() string {
	switch o.Kind {
	case None:
		return "-"
	case Const:
		return strconv.Quote(o.Text)
	case Other:
		return "<" + o.Text + ">"
	}
	list := "ARGV"
	if o.Kind == Key {
		list = "KEYS"
	}
	return o.Prefix + list + "[" + indexText(o.Index) + "]" + o.linear() + o.Suffix
}

// linear writes the arithmetic of an operand.
func (o Operand) linear() string {
	text := ""
	if o.Scale > 1 || o.Scale < 0 {
		text += "*" + strconv.FormatInt(o.Scale, 10)
	}
	if o.Divide > 1 || o.Divide < 0 {
		text += "/" + strconv.FormatInt(o.Divide, 10)
	}
	if o.Offset != 0 {
		text += "+" + strconv.FormatInt(o.Offset, 10)
	}
	return text
}

func indexText(index int) string {
	if index == 0 {
		return "?"
	}
	return strconv.Itoa(index)
}

// String writes the reply in a short form: nil, 1, 'text', +OK, -, [], ?.
func (r Reply) String() string {
	text := r.Text
	if r.Any && text == "" {
		text = "*"
	}
	switch r.Kind {
	case NilReply:
		return "nil"
	case IntReply:
		return text
	case StringReply:
		return "'" + text + "'"
	case StatusReply:
		return "+" + text
	case ErrorReply:
		return "-"
	case ArrayReply:
		return "[]"
	}
	return "?"
}
