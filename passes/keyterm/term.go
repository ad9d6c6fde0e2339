// Package keyterm is the symbolic language of the analysis: a [Term] says where a key, an owner value, a TTL or a
// function value comes from, in terms of what a function is given.
//
// Terms are plain data. They are stored in facts, so they hold no maps, no interfaces and no pointers, and encode to
// the same bytes every time. They are widened by depth and size ([Limit]), so that no recursion makes them endless.
package keyterm

import (
	"strconv"
	"strings"
)

// Op says what sort of term it is, and thereby which fields mean something.
type Op uint8

// The operators.
const (
	// Unknown is a value that the analysis does not see. Two unknowns are never equal.
	Unknown Op = iota
	// Const is a compile-time constant or the zero value. Text is the exact value: a string's bytes, an integer in
	// decimal, "true"/"false", or "nil".
	Const
	// Param is parameter Index of the function named Text; a receiver is parameter 0.
	Param
	// Field is the field Text of Args[0]. A pointer and what it points to are one term.
	Field
	// Global is the package-level variable named Text, "import/path.name".
	Global
	// Concat is the string that Args make one after the other; constants next to each other are merged.
	Concat
	// Format is how a variable part is printed: Args[0] by the verb in Text ("%v", "%d", "%s" ...).
	Format
	// Call is result Index of calling the function named Text (or, if Text is "", the function value Args[0]) with the
	// remaining Args, where the analysis does not look into the function, or where it does and the caller should still
	// know by which function the value was built: see Inside.
	Call
	// Built is a value that the function named Text built; Args[0] is what it built. It is equal to Args[0].
	Built
	// Set is one of Args; a join of branches or of all writes of a field.
	Set
	// Fresh is a value made by the run-time environment; Text is its [Source].
	Fresh
	// Object is a value of struct type Text, allocated at At, whose fields named Names hold Args. A field that is not
	// named holds its zero value if Index is 1, and is unknown if Index is 0.
	Object
	// Func is the function or closure named Text as a value. If Index is 1, Args[0] is the receiver bound to it.
	// For a closure, Names and Args map "function#index" to what the enclosing functions' parameters were bound to.
	Func
	// Lookup is the element of the map or indexable value Args[0] at Args[1]. Index is 1 if the program asks whether
	// the element exists.
	Lookup
	// Arith is the arithmetic operator Text on Args.
	Arith
	// List is a slice or array with the elements Args.
	List
)

// The sources of Fresh.
const (
	Random  = "random"  // differs for every call, on every machine
	Clock   = "clock"   // the time
	Process = "process" // host name, process id: the same for all flows of a process
	Reflect = "reflect" // a name looked up by reflection
	Input   = "input"   // a request header, form value, environment variable ...: may be missing
	Each    = "each"    // which round of a loop it is: the same all through one round
	Order   = "order"   // text put together in the order of a loop over a map
	Local   = "local"   // a variable that a call fills in, a decoder or a scan: one value, not known which
	Parsed  = "parsed"  // the result of a conversion whose error is dropped: zero if it failed
)

// Pos is a place in a source file, in the form that facts can carry.
type Pos struct {
	File         string
	Line, Column int
}

// IsValid reports whether p names a line.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Term is a symbolic value. The zero Term is Unknown.
type Term struct {
	Op    Op
	Text  string
	Index int
	Names []string
	Args  []Term
	// Type is the Go type of the value as types.TypeString prints it with full package paths, or "".
	Type string
	// At is where the value is made. It does not count for equality.
	At Pos
	// Fn is the function in which the value is made, by full name. It does not count for equality.
	Fn string
}

// Limit bounds terms: deeper or larger ones become Unknown, or Unknown parts.
const (
	MaxDepth = 12
	MaxSize  = 64
	MaxSet   = 6
	// MaxText bounds the text that concatenations of constants add up to, in bytes. Scripts are put together like that.
	MaxText = 1 << 18
)

// String is the canonical spelling: two terms are equal exactly if their spellings are, and neither has an unknown.
func (t Term) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t Term) write(b *strings.Builder) {
	switch t.Op {
	case Unknown:
		b.WriteByte('?')
	case Const:
		b.WriteString(strconv.Quote(t.Text))
	case Param:
		b.WriteString(t.Text + "#" + strconv.Itoa(t.Index))
	case Built:
		t.Args[0].write(b)
	case Field:
		t.Args[0].write(b)
		b.WriteString("." + t.Text)
	case Global:
		b.WriteString("$" + t.Text)
	default:
		t.writeCompound(b)
	}
}

var opNames = [...]string{
	Concat: "cat", Format: "fmt", Call: "call", Set: "set", Fresh: "fresh", Object: "object", Func: "func",
	Lookup: "at", Arith: "arith", List: "list",
}

func (t Term) writeCompound(b *strings.Builder) {
	b.WriteString(opNames[t.Op] + ":" + t.Text)
	switch t.Op {
	case Call:
		b.WriteString("/" + strconv.Itoa(t.Index))
	case Fresh, Object:
		// Two random values made at two places are two values.
		b.WriteString("@" + t.At.File + ":" + strconv.Itoa(t.At.Line) + ":" + strconv.Itoa(t.At.Column))
		if t.Op == Fresh && len(t.Names) > 1 {
			b.WriteString(strings.Join(t.Names[1:], " ")) // and so are those of two calls of the function that makes it
		}
	}
	if t.Op == Object {
		return // identity, not contents
	}
	b.WriteByte('(')
	for i, a := range t.Args {
		if i > 0 {
			b.WriteByte(',')
		}
		a.write(b)
	}
	b.WriteByte(')')
}

// HasUnknown reports whether some part of t is unknown.
func (t Term) HasUnknown() bool {
	if t.Op == Unknown {
		return true
	}
	if t.Op == Object {
		return false
	}
	for _, a := range t.Args {
		if a.HasUnknown() {
			return true
		}
	}
	return false
}

// Equal reports whether a and b are certainly the same value.
func Equal(a, b Term) bool { return !a.HasUnknown() && a.String() == b.String() }

// Walk calls visit for t and its parts, outermost first, until visit returns false for a term, whose parts it skips.
func (t Term) Walk(visit func(Term) bool) {
	if !visit(t) {
		return
	}
	for _, a := range t.Args {
		a.Walk(visit)
	}
}

// Map rebuilds t from the innermost part outward, each part replaced by what f returns for it, and normalises.
func (t Term) Map(f func(Term) Term) Term {
	if len(t.Args) > 0 {
		args := make([]Term, len(t.Args))
		for i, a := range t.Args {
			args[i] = a.Map(f)
		}
		t.Args = args
	}
	return f(t.Norm())
}
