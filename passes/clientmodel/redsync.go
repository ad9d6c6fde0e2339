package clientmodel

import "github.com/leasevet/leasevet/passes/keyterm"

// redsyncLibrary is redsync: a Mutex is one acquisition of one name; owner value, compare-and-delete and
// compare-and-extend are the library's. Source: the package documentation of github.com/go-redsync/redsync/v4: expiry
// 8 s, 32 tries unless an option says otherwise.
var redsyncLibrary = library{
	paths: []string{"github.com/go-redsync/redsync"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "" {
			return nil
		}
		return redsyncRows
	},
	sentinels: []string{"ErrFailed"},
}

const (
	mutexType = "redsync.Mutex"
	mutexKey  = "key"
	mutexTTL  = "ttl"
	// mutexOwner is the owner value, unknown where the library makes its own.
	mutexOwner = "owner"
)

var redsyncRows = map[string]Row{
	"Redsync.NewMutex":     {Results: newMutex, Ctx: -1},
	"Mutex.Lock":           {Commands: mutex(Acquire, ErrReply), Roles: []Role{ErrResult}, Ctx: -1},
	"Mutex.LockContext":    {Commands: mutex(Acquire, ErrReply), Roles: []Role{ErrResult}, Ctx: 1},
	"Mutex.TryLock":        {Commands: mutex(Acquire, ErrReply), Roles: []Role{ErrResult}, Ctx: -1},
	"Mutex.TryLockContext": {Commands: mutex(Acquire, ErrReply), Roles: []Role{ErrResult}, Ctx: 1},
	"Mutex.Unlock":         {Commands: mutex(Release, BoolReply), Roles: []Role{ValueResult, ErrResult}, Ctx: -1},
	"Mutex.UnlockContext":  {Commands: mutex(Release, BoolReply), Roles: []Role{ValueResult, ErrResult}, Ctx: 1},
	"Mutex.Extend":         {Commands: mutex(Extend, BoolReply), Roles: []Role{ValueResult, ErrResult}, Ctx: -1},
	"Mutex.ExtendContext":  {Commands: mutex(Extend, BoolReply), Roles: []Role{ValueResult, ErrResult}, Ctx: 1},
	"Mutex.Name":           {Results: func(c Call) []keyterm.Term { return []keyterm.Term{field(c.Arg(0), mutexKey)} }, Ctx: -1},
	"WithExpiry":           {Results: option("WithExpiry"), Ctx: -1},
	"WithTries":            {Results: option("WithTries"), Ctx: -1},
	"WithValue":            {Results: option("WithValue"), Ctx: -1},
	"WithGenValueFunc":     {Results: option("WithGenValueFunc"), Ctx: -1},
	"OptionFunc.Apply":     {Ctx: -1},
}

// option keeps an option as a call, for newMutex to read.
func option(name string) func(Call) []keyterm.Term {
	return func(c Call) []keyterm.Term {
		return []keyterm.Term{{Op: keyterm.Call, Text: "redsync." + name, Args: []keyterm.Term{c.Arg(0)}}}
	}
}

// newMutex reads NewMutex(name, options...). Options that are not known make the expiry unknown.
func newMutex(c Call) []keyterm.Term {
	var owner keyterm.Term
	ttl := keyterm.Term{Op: keyterm.Const, Text: "8000000000", Type: "time.Duration"}
	options, all := known(c.Arg(2))
	if !all {
		ttl = keyterm.Term{}
	}
	for _, o := range options {
		switch {
		case o.Op == keyterm.Unknown, o.Op == keyterm.Set:
			ttl = keyterm.Term{}
		case o.Op == keyterm.Call && o.Text == "redsync.WithExpiry":
			ttl = o.Args[0]
		case o.Op == keyterm.Call && o.Text == "redsync.WithValue":
			owner = o.Args[0]
		case o.Op == keyterm.Call && o.Text == "redsync.WithGenValueFunc":
			owner = keyterm.Term{Op: keyterm.Call, Args: o.Args[:1]} // what the function returns
		}
	}
	return []keyterm.Term{{Op: keyterm.Object, Text: mutexType, Names: []string{mutexKey, mutexTTL, mutexOwner},
		Args: []keyterm.Term{c.Arg(1), ttl, owner}}}
}

func mutex(op Op, reply Reply) func(Call) []Command {
	return func(c Call) []Command {
		cmd := Command{Op: op, Key: field(c.Arg(0), mutexKey), Guard: Atomic, Library: true, Reply: reply, Unit: Duration}
		if op == Acquire {
			cmd.TTL, cmd.HasTTL = field(c.Arg(0), mutexTTL), true
			cmd.Owner = field(c.Arg(0), mutexOwner)
		}
		return []Command{cmd}
	}
}
