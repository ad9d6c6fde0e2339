package ownercheck

import (
	"slices"
	"strings"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// deletes are the names that methods have which are nothing but the command.
var deletes = []string{"del", "delete", "unlink", "remove"}

// deletingAt is where a release stands. A wrapper of the client that is named as the command is the command, for keys
// of all sorts: what frees the lock is the call of it.
func deletingAt(e lockfacts.Event) lockfacts.Site {
	if e.Op != clientmodel.Delete || len(e.Path) < 2 || !slices.Contains(deletes, bareName(e.At.Function)) {
		return e.At
	}
	return e.Path[len(e.Path)-1]
}

// bareName is a function's own name in lower case, without what says that it takes a context or several keys.
func bareName(function string) string {
	name := strings.ToLower(function[strings.LastIndexByte(function, '.')+1:])
	for _, suffix := range []string{"context", "ctx", "keys", "key", "s"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}
