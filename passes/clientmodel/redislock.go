package clientmodel

import "github.com/leasevet/leasevet/passes/keyterm"

// redislockLibrary is bsm/redislock: Obtain returns a handle that holds a token, a random one unless the options name
// one. ErrLockNotHeld says that a lease was lost; it never comes from Obtain and is no sentinel here.
// Source: the package documentation of github.com/bsm/redislock.
var redislockLibrary = library{
	paths: []string{"github.com/bsm/redislock"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "" {
			return nil
		}
		return redislockRows
	},
	sentinels: []string{"ErrNotObtained"},
}

const redislockType = "redislock.Lock"

var redislockRows = map[string]Row{
	"Client.Obtain": {Commands: obtain(2), Results: obtained(2), Roles: []Role{ValueResult, ErrResult}, Ctx: 1},
	"Obtain":        {Commands: obtain(2), Results: obtained(2), Roles: []Role{ValueResult, ErrResult}, Ctx: 0},
	"Lock.Release":  {Commands: mutex(Release, ErrReply), Roles: []Role{ErrResult}, Ctx: 1},
	"Lock.Refresh":  {Commands: mutex(Extend, ErrReply), Roles: []Role{ErrResult}, Ctx: 1},
	"Lock.Key":      {Results: func(c Call) []keyterm.Term { return []keyterm.Term{field(c.Arg(0), mutexKey)} }, Ctx: -1},
	"Lock.Token":    {Results: func(c Call) []keyterm.Term { return []keyterm.Term{field(c.Arg(0), mutexOwner)} }, Ctx: -1},
	"Lock.TTL":      {Roles: noRoles, Ctx: 1},
}

func obtain(key int) func(Call) []Command {
	return func(c Call) []Command {
		return []Command{{Op: Acquire, Key: c.Arg(key), TTL: c.Arg(key + 1), HasTTL: true, Unit: Duration, Guard: Atomic,
			Library: true, Reply: HandleReply, Owner: token(c.Arg(key + 2))}}
	}
}

func obtained(key int) func(Call) []keyterm.Term {
	return func(c Call) []keyterm.Term {
		return []keyterm.Term{{Op: keyterm.Object, Text: redislockType, Names: []string{mutexKey, mutexTTL, mutexOwner},
			Args: []keyterm.Term{c.Arg(key), c.Arg(key + 1), token(c.Arg(key + 2))}}, {}}
	}
}

// token is the owner value that the options name, unknown where the library makes one.
func token(options keyterm.Term) keyterm.Term {
	t := field(options, "Token")
	if isZero(t) || options.Op == keyterm.Const {
		return keyterm.Term{}
	}
	return t
}
