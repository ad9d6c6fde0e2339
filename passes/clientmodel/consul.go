package clientmodel

import "github.com/leasevet/leasevet/passes/keyterm"

// consulLibrary is Consul's client: a lock belongs to a session, which the library renews, and the server compares the
// session when the lock is given back. Source: the package documentation of github.com/hashicorp/consul/api.
var consulLibrary = library{
	paths: []string{"github.com/hashicorp/consul/api"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "" {
			return nil
		}
		return consulRows
	},
	sentinels: []string{"ErrLockInUse"},
}

const consulLockType = "api.Lock"

var consulRows = map[string]Row{
	"Client.LockKey":  {Results: lockObject(consulLockType, 1), Ctx: -1},
	"Client.LockOpts": {Results: func(c Call) []keyterm.Term { return []keyterm.Term{lockOf(consulLockType, field(c.Arg(1), "Key")), {}} }, Ctx: -1},
	// A nil channel without an error: it was told to stop, or tried once.
	"Lock.Lock":   {Commands: lockObjectDoes(Acquire, HandleReply), Roles: []Role{ValueResult, OtherResult}, Ctx: -1},
	"Lock.Unlock": {Commands: lockObjectDoes(Release, ErrReply), Roles: failed, Ctx: -1},
	"KV.Acquire":  {Commands: pair(Acquire), Roles: []Role{ValueResult, OtherResult, ErrResult}, Ctx: -1},
	"KV.Release":  {Commands: pair(Release), Roles: []Role{ValueResult, OtherResult, ErrResult}, Ctx: -1},
	"KV.Delete":   {Commands: command(Delete, 1, 0, 0, NoUnit, Unchecked, NoReply), Roles: []Role{OtherResult, OtherResult}, Ctx: -1},
}

// pair reads a command that is given a key with the session that holds it.
func pair(op Op) func(Call) []Command {
	return func(c Call) []Command {
		return []Command{{Op: op, Key: field(c.Arg(1), "Key"), Guard: Atomic, Library: true, Reply: BoolReply}}
	}
}
