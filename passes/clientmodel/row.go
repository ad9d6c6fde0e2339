package clientmodel

import (
	"go/types"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// Call is a call of a library function, as a row sees it: the receiver, if there is one, is argument 0, and variadic
// arguments are one List.
type Call struct {
	Args []keyterm.Term
	// TypeName is the named type of the receiver, "Client", "Cmdable" ..., or "".
	TypeName string
}

// Arg is argument i, unknown where there is none.
func (c Call) Arg(i int) keyterm.Term {
	if i < 0 || i >= len(c.Args) {
		return keyterm.Term{}
	}
	return c.Args[i]
}

// Command is one thing that a library call does to one key.
type Command struct {
	Op     Op
	Key    keyterm.Term
	Owner  keyterm.Term
	TTL    keyterm.Term
	HasTTL bool
	Unit   Unit
	Guard  Guarantee
	Faults []Fault
	// Library is true where owner values and checks are the library's.
	Library bool
	// Reply says how the reply tells "held" from "taken".
	Reply Reply
	// Maybe: it happens under a condition that was not understood.
	Maybe bool
	// Script, Keys and Args are what RunScript runs: the text, KEYS and ARGV. KeysKnown and ArgsKnown are true where
	// their number is certain.
	Script               keyterm.Term
	Keys, Args           []keyterm.Term
	KeysKnown, ArgsKnown bool
	// Queued is true where the command only runs with the transaction that it is queued in.
	Queued bool
	// Nth is the number of the command, from 1, in a call that runs a list of them and returns a list of replies.
	Nth int
}

// Reply is the form of a reply.
type Reply uint8

// The forms.
const (
	NoReply     Reply = iota
	BoolReply         // true: held
	StatusReply       // "OK": held; an error that says "no reply": taken
	IntReply          // 1: held, 0: taken
	ErrReply          // nil: held; an error for both "taken" and "failed"
	HandleReply       // a handle and nil: held
	CountReply        // a number that says whether something was done, for a release or extend
)

// Role is what a result stands for.
type Role uint8

// The roles.
const (
	OtherResult Role = iota
	ValueResult      // the reply's value
	ErrResult        // the error
	// RawResult and RawErrResult are the reply as it came, nil where there was none, and an error that says nothing of
	// that: readers make a value and an error of the two.
	RawResult
	RawErrResult
	MissingResult // whether the reply is nil
	MessageResult // the reply as another object that accessors read
)

// Row is what is known of one library function.
type Row struct {
	// Commands reads the call, nil where it does nothing to a key.
	Commands func(Call) []Command
	// Results are the values that the call returns, nil where they say nothing.
	Results func(Call) []keyterm.Term
	// Roles are the roles of the results, nil where the result is a command object that accessors read (see Accessor).
	Roles []Role
	// Ctx is the index of the context argument, -1 for none.
	Ctx int
	// Runs lists the arguments that are functions the call runs before it returns.
	Runs []int
	// Watch is the index of the keys that are watched while Runs run, 0 for none.
	Watch int
}

// library is one client library: the module, all its versions, and its rows by function or method name.
type library struct {
	paths []string // module paths without the major version
	rows  func(sub string, major string) map[string]Row
	// rule makes the row of a function that rows leaves out, where a library has too many to list. It may be nil.
	rule func(sub string, fn *types.Func) (Row, bool)
	// objects are the types of command objects: full names, or how names end if they start with a *.
	objects []string
	// accessors are the methods of command objects.
	accessors map[string][]Role
	// readers are functions that take what a command returned, (reply, error), and return a value and an error.
	readers []string
	// sentinels are the names of error variables that say "no reply" or "taken", and nothing else; a constant is given
	// by its text.
	sentinels []string
	// asks are functions that ask whether an error is a sentinel.
	asks []string
}

// libraries are all that is known. A path that stands below another library's path stands before it.
var libraries = []library{
	goRedis, compatLibrary, redigoLibrary, rueidisLocker, rueidisLibrary, goZeroLibrary, redsyncLibrary, redislockLibrary,
	memcacheLibrary, etcdLibrary, consulLibrary,
}

// IsClient reports whether the import path belongs to a client library: its packages are described by rows and never
// analysed themselves.
func IsClient(path string) bool {
	_, _, _, ok := find(path)
	return ok
}

// find returns the library of an import path, the path below the module and the module's major version ("v9", or "").
func find(path string) (lib *library, sub, major string, ok bool) {
	path = unversioned(path)
	for i := range libraries {
		for _, p := range libraries[i].paths {
			if !within(path, p) {
				continue
			}
			sub = strings.TrimPrefix(strings.TrimPrefix(path, p), "/")
			if first, rest, _ := strings.Cut(sub, "/"); isMajor(first) {
				major, sub = first, rest
			}
			return &libraries[i], sub, major, true
		}
	}
	return nil, "", "", false
}

// within reports whether path is p or lies below it.
func within(path, p string) bool {
	return strings.HasPrefix(path, p) && (len(path) == len(p) || path[len(p)] == '/')
}

// unversioned writes gopkg.in/redis.v5 as gopkg.in/redis/v5, as all other modules do it.
func unversioned(path string) string {
	host, rest, _ := strings.Cut(path, "/")
	if host != "gopkg.in" {
		return path
	}
	first, below, nested := strings.Cut(rest, "/")
	name, version, ok := strings.Cut(first, ".")
	if !ok {
		return path
	}
	path = host + "/" + name + "/" + version
	if nested {
		path += "/" + below
	}
	return path
}

func isMajor(s string) bool {
	return len(s) >= 2 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}

// Lookup is the row of a library function or method, concrete or of an interface.
func Lookup(fn *types.Func) (Row, bool) {
	if fn == nil || fn.Pkg() == nil {
		return Row{}, false
	}
	lib, sub, major, ok := find(fn.Pkg().Path())
	if !ok {
		return Row{}, false
	}
	row, ok := lib.rows(sub, major)[ReceiverName(fn)+fn.Name()]
	if !ok {
		row, ok = lib.rows(sub, major)[fn.Name()]
	}
	if !ok && lib.rule != nil {
		row, ok = lib.rule(sub, fn)
	}
	return row, ok
}

// Named is the row of a function that a library returns, by the name that the row of the returning function gives it.
func Named(name string) (Row, bool) {
	i := strings.LastIndexByte(name, '#')
	if i < 0 {
		return Row{}, false
	}
	lib, sub, major, ok := find(name[:i])
	if !ok {
		return Row{}, false
	}
	row, ok := lib.rows(sub, major)[name[i:]]
	return row, ok
}

// Queues reports whether a method runs its function argument inside the transaction of a watching connection.
func Queues(fn *types.Func) bool {
	return fn != nil && fn.Name() == "TxPipelined" && ReceiverName(fn) == "Tx."
}

// ReceiverName is the name of a method's receiver type with a dot, "Client.", or "".
func ReceiverName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name() + "."
	}
	return ""
}

// IsLockObject reports whether a type, as the rows name it, is a library's lock: the proof of its owner is inside.
func IsLockObject(typ string) bool { return slices.Contains(lockObjects, typ) }

var lockObjects = []string{mutexType, redislockType, goZeroLockType, etcdMutexType, consulLockType}
