// Package clientmodel says what each known function of each client library does to a lock: a table, and the reader of
// Lua scripts. Everything that is about one library stands here and nowhere else.
package clientmodel

// Op is what a command does to a key.
type Op uint8

// The operations.
const (
	NoOp Op = iota
	// SetIfAbsent stores the owner value if the key is not there: the acquire of a home-made lock.
	SetIfAbsent
	// Set stores a value whatever is there.
	Set
	// SetIfPresent stores a value only over another one (SET XX): an extend that looks at nobody.
	SetIfPresent
	// CompareAndSet stores a value if the current one is the given one (SET IFEQ).
	CompareAndSet
	// Get reads the value.
	Get
	// Delete removes the key.
	Delete
	// CompareAndDelete removes the key if its value is the given one, in one step.
	CompareAndDelete
	// Expire sets the TTL.
	Expire
	// CompareAndExpire sets the TTL if the value is the given one, in one step.
	CompareAndExpire
	// Acquire, Release and Extend are a lock library's own operations, owner and atomicity included.
	Acquire
	Release
	Extend
	// RunScript runs a Lua script whose text has still to be found and read.
	RunScript
	// RunWords runs a command whose words have still to be found.
	RunWords
	// Watch makes a transaction on the same connection fail if somebody writes the key; Begin begins one.
	Watch
	Begin
)

// String is the operation's name in words.
func (o Op) String() string { return opNames[o] }

var opNames = [...]string{
	"nothing", "set if absent", "set", "set if present", "compare and set", "get", "delete", "compare and delete",
	"expire", "compare and expire", "acquire", "release", "extend", "run a script", "run words",
	"watch", "begin a transaction",
}

// Acquires reports whether the operation can begin to hold a lock.
func (o Op) Acquires() bool { return o == SetIfAbsent || o == Acquire }

// Releases reports whether the operation can end a lock.
func (o Op) Releases() bool { return o == Delete || o == CompareAndDelete || o == Release }

// Extends reports whether the operation can prolong a lease.
func (o Op) Extends() bool {
	switch o {
	case Expire, CompareAndExpire, SetIfPresent, CompareAndSet, Extend:
		return true
	}
	return false
}

// Guarantee says how a release or extend makes sure that the caller owns the lock.
type Guarantee uint8

// The guarantees, weakest knowledge first.
const (
	UnknownGuarantee Guarantee = iota
	Unchecked                  // not at all
	NotAtomic                  // read, compared, then done, in separate commands
	Atomic                     // in one step
)

// Unit is the unit in which a TTL is given.
type Unit uint8

// The units.
const (
	NoUnit      Unit = iota
	Duration         // a time.Duration, nanoseconds
	Seconds          // EX, EXPIRE
	Millis           // PX, PEXPIRE
	UnixSeconds      // EXAT, EXPIREAT
	UnixMillis       // PXAT, PEXPIREAT
)

// Fault is something wrong with a command that shows without looking at anything else.
type Fault struct {
	Rule string // short id: "syntax", "missing-key", "missing-argument", "compares-with-key" ...
	Text string // one sentence, no final full stop
}

// Abstract is what is known about a value in one scenario of an acquire: a set of possibilities. The zero Abstract is
// "unknown".
type Abstract uint8

// The possibilities. True and False are for booleans (and non-zero and zero numbers), Nil and NonNil for errors,
// pointers, interfaces and functions. Contention marks an error that says "taken" and nothing else; it comes with
// NonNil.
const (
	True Abstract = 1 << iota
	False
	Nil
	NonNil
	Contention
)
