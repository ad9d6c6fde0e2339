package clientmodel

import (
	"go/types"
	"strings"
)

// Blocks reports whether a library's acquire waits until the lock is free or its context ends, with no limit of its own.
// Sources: the package documentation of rueidislock, valkeylock and etcd's concurrency.
func Blocks(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	lib, _, _, ok := find(fn.Pkg().Path())
	if !ok {
		return false
	}
	switch ReceiverName(fn) + fn.Name() {
	case "Mutex.Lock":
		return lib.paths[0] == etcdLibrary.paths[0]
	case "Locker.WithContext":
		return lib.paths[0] == rueidisLocker.paths[0]
	}
	return false
}

// SaysTaken reports whether a library's error type, "import/path.Name", says that somebody else holds the lock. Source:
// the package documentation of redsync.
func SaysTaken(typ string) bool {
	return strings.Contains(typ, "/go-redsync/redsync") && (strings.HasSuffix(typ, ".ErrTaken") || strings.HasSuffix(typ, ".ErrNodeTaken"))
}
