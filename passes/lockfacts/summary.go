package lockfacts

import (
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Version is the version of the fact format. Facts of another version are not used.
const Version = 1

// Fact is the one package fact: all that importing packages need to know about a package. Every slice is sorted.
type Fact struct {
	Version int
	Funcs   []Summary // by Name
	Globals []Named   // values of package-level variables that are written once, by Name
	Fields  []Named   // "import/path.Type.field": the join of all writes of the field in the package, by Name
	Impls   []Impl    // by Interface, Type
	Classes []LockClass
	Keys    []LockKey // what the package acquires, by Class and place
	Sees    []string  // imported packages, directly or not, that have Keys, if this one has
	Guards  []Guard
	// Wants are packages of the program whose functions make keys, owner values or TTLs here, and that have no facts.
	Wants []string
	// Clients are the names by which other packages get at a client of this one's, sorted.
	Clients []string
	// Bound says which types stand in which fields, "import/path.Type.field", of interface type.
	Bound []Impl
}

// AFact marks Fact as a fact.
func (*Fact) AFact() {}

// String is what tests and debug output show of a fact.
func (f *Fact) String() string { return "lockfacts" }

// Named is a value by name.
type Named struct {
	Name  string
	Value keyterm.Term
}

// Impl says that a value of the named type is used as the named interface somewhere.
type Impl struct {
	Interface string // full name, "import/path.Name"
	Type      string // full name with a leading * for a pointer
}

// LockClass is a key class that is known to be a lock: somebody acquires it and releases it, or compares its owner.
type LockClass struct {
	Class string
	// Acquire is one place that acquires it.
	Acquire Site
	// Checked is true where some release of it compares the owner.
	Checked bool
	// TTL and Owner are what the acquire stores, where they are closed.
	TTL, Owner keyterm.Term
	Unit       clientmodel.Unit // of the TTL
}

// LockKey is one spelling of the key of a lock.
type LockKey struct {
	Class string
	// Key is what is acquired, fields replaced by what is written to them.
	Key keyterm.Term
	// At is where the text that the key starts with is spelled.
	At Site
	// Vars are the names of the variable parts, "" where a part has none.
	Vars []string
	// Builder is the function that builds the key, "" where the acquiring function itself puts it together.
	Builder string
	// Acquire is one place that acquires it, in the acquiring function; Uses counts such places.
	Acquire Site
	Uses    int
}

// Guard says that Function is wrapped by Wrapper, which calls it while it holds Class.
type Guard struct {
	Function string
	Wrapper  string
	Class    string
	At       Site // the call under the lock
	Acquire  Site
}

// Site is a place in the program: where something happens, and in which function.
type Site struct {
	keyterm.Pos
	Function string
	Package  string
}

// Summary is what calling a function does to locks: one more row of the client table.
type Summary struct {
	Name    string // full name as ssa prints it: "import/path.F", "(*import/path.T).M", "import/path.F$1"
	Params  int    // number of parameters, a receiver counted
	Results []keyterm.Term
	Effects []Effect
	// Writes are the fields of its only argument that an option function sets.
	Writes []Named
	// Runs are the function values that the function calls.
	Runs []Run
	// Lent are the calls, under a lock, of what the callers hand in.
	Lent []Lent
	// Outcomes says, for every acquire among Effects that is still open when the function returns, what the results
	// are when it was held, taken, or failed.
	Outcomes []Outcome
	// Comparisons are the owners that the function asks for, so that its results tell whether they are the given ones.
	Comparisons []Comparison
	// Inner are the acquires that happen while the function runs, released again or not.
	Inner []Inner
	// NoReturn is true where the function never returns.
	NoReturn bool
	// GuardedBy is true where a directive says which lock callers must hold.
	GuardedBy bool
	ErrorUse
	// At is where the function is declared.
	At keyterm.Pos
}

// Effect is one thing that calling the function does to one key.
type Effect struct {
	Op    clientmodel.Op
	Key   keyterm.Term
	Owner keyterm.Term // the value stored or compared with
	TTL   keyterm.Term // Unknown if the command has none to give; see HasTTL
	// HasTTL is true where the command says something about the TTL, a zero TTL included.
	HasTTL bool
	Unit   clientmodel.Unit
	Guard  clientmodel.Guarantee
	Client string // import path of the client library's module
	Ctx    keyterm.Term
	At     Site // the command itself
	// RunAt is where the command runs, where that is not At: in a helper that runs what it is given.
	RunAt keyterm.Pos
	// KeyAt and TTLAt are the calls that handed over what the key or the TTL depends on, where a caller did; else they
	// are not valid, and At is the place.
	KeyAt, TTLAt Site
	Path         []Site // the calls from the summarised function down to At, outermost first; empty if At is in the function
	// Deferred: it runs when the function returns. Async: it runs in a goroutine. Maybe: it runs if somebody calls the
	// function value that it is in. OnError: it runs only after something else failed.
	Deferred, Async, Maybe, OnError bool
	// Closed is true for an acquire that the function itself releases again, and for that release.
	Closed bool
	// Proven is true where the effect is known to be part of a lock (and not of a throttle, a mark, a cache).
	Proven bool
	// Faults are what reading the command itself found wrong: a script that does not parse, an index that is not passed.
	Faults []clientmodel.Fault
	// Library is true where a lock library does it: owner values and checks are the library's.
	Library bool
	// Renewed is true where something extends the lease while it is held.
	Renewed bool
	// Kept is where an acquire stores its owner value even if it fails, not valid if nowhere.
	Kept Kept
	// Queued is true where the command is part of a transaction on a connection that may be watching.
	Queued bool
	// Reply says how the reply of the command tells "held" from "taken".
	Reply clientmodel.Reply
	// Conditional is true where the function may return without it having run.
	Conditional bool
	// Script, Keys and Args are what a RunScript runs, until its text is known.
	Script               keyterm.Term
	Keys, Args           []keyterm.Term
	KeysKnown, ArgsKnown bool
	// Remarks are about an acquire: how its end is told, and how it is waited for.
	Remarks []Remark
}

// Run is a call of a function value.
type Run struct {
	Fn   keyterm.Term
	Args []keyterm.Term
	// Under lists the keys of the locks that are held while it runs.
	Under []Held
	At    Site
	// Maybe is true where it may run later, or elsewhere.
	Maybe bool
	// Asked is the earlier run whose result decides, by a comparison with Value, whether this one runs at all; not valid if
	// none does.
	Asked Site
	Value keyterm.Term
	// Then lists the effects of the summary, by index, that release something and can follow the run.
	Then []int
	// Wait is how the function runs it again and again until it says yes.
	Wait Wait
}

// Lent is a call, under a lock, of a method of an object that the function is given, or of a function that it is given.
type Lent struct {
	Object keyterm.Term
	Method string         // "" for a function
	Args   []keyterm.Term // those that the function is given, too; the others are unknown
	Under  []Held
	At     Site
	// Passed is true where the function returns what the call returned and does no other work under the lock.
	Passed bool
}

// Held is a lock that is held at some point.
type Held struct {
	Key     keyterm.Term
	Acquire Site
	Proven  bool
}

// Outcome is what results look like in the three scenarios of an acquire.
type Outcome struct {
	Effect int // index into Effects
	// Reply is the form of the reply that it is for, where only callers know the command; else NoReply.
	Reply clientmodel.Reply
	// Held, Taken and Outage give one abstract value per result.
	Held, Taken, Outage []clientmodel.Abstract
	// TakenFaces and OutageFaces say what each result can be recognised by, nil if unknown.
	TakenFaces, OutageFaces []string
}
