package clientmodel

import "github.com/leasevet/leasevet/passes/keyterm"

// memcacheLibrary is gomemcache: ADD stores what is not there, and an item carries key, value and TTL in seconds.
// Source: the package documentation of github.com/bradfitz/gomemcache/memcache.
var memcacheLibrary = library{
	paths: []string{"github.com/bradfitz/gomemcache"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "memcache" {
			return nil
		}
		return memcacheRows
	},
	sentinels: []string{"ErrNotStored", "ErrCacheMiss"},
}

var failed = []Role{ErrResult}

var memcacheRows = map[string]Row{
	"Add":            {Commands: item(SetIfAbsent, UnknownGuarantee, ErrReply), Roles: failed, Ctx: -1},
	"Set":            {Commands: item(Set, Unchecked, NoReply), Roles: noRoles, Ctx: -1},
	"Replace":        {Commands: item(SetIfPresent, Unchecked, ErrReply), Roles: failed, Ctx: -1},
	"CompareAndSwap": {Commands: item(CompareAndSet, Atomic, ErrReply), Roles: failed, Ctx: -1},
	"Delete":         {Commands: command(Delete, 1, 0, 0, NoUnit, Unchecked, ErrReply), Roles: failed, Ctx: -1},
	"Touch":          {Commands: expires(1, Seconds), Roles: noRoles, Ctx: -1},
	"Get":            {Commands: command(Get, 1, 0, 0, NoUnit, UnknownGuarantee, NoReply), Roles: noRoles, Results: gotItem, Ctx: -1},
	"GetAndTouch":    {Commands: expires(1, Seconds), Roles: noRoles, Results: gotItem, Ctx: -1},
}

// item reads a command that is given an item.
func item(op Op, guard Guarantee, reply Reply) func(Call) []Command {
	return func(c Call) []Command {
		i := c.Arg(1)
		return []Command{{Op: op, Key: field(i, "Key"), Owner: field(i, "Value"), TTL: field(i, "Expiration"), HasTTL: true,
			Unit: Seconds, Guard: guard, Reply: reply}}
	}
}

// gotItem is an item that was read: of what is in it only the key is known.
func gotItem(c Call) []keyterm.Term {
	return []keyterm.Term{{Op: keyterm.Object, Text: "memcache.Item", Names: []string{"Key"}, Args: []keyterm.Term{c.Arg(1)}}, {}}
}
