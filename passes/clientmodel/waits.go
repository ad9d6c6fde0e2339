package clientmodel

import (
	"go/types"
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// Waits reports whether a lock library's acquire, named as go/types does, tries again while somebody else holds the lock.
// Sources: redsync tries 32 times unless the mutex has WithTries, TryLock once; redislock tries once unless the options
// have a RetryStrategy; the lockers of rueidis and etcd wait until the context ends; go-zero's lock tries once.
func Waits(name string, args []keyterm.Term) bool {
	method := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case strings.Contains(name, "go-redsync/redsync"):
		return method == "Lock" || method == "LockContext"
	case strings.Contains(name, "bsm/redislock"):
		for _, a := range args {
			if a.Op == keyterm.Object && strings.HasSuffix(a.Text, "redislock.Options") {
				retry := field(a, "RetryStrategy")
				return !isZero(retry) && !(retry.Op == keyterm.Call && strings.HasSuffix(retry.Text, ".NoRetry"))
			}
		}
		return false
	case strings.Contains(name, "rueidis/rueidislock"):
		return method == "WithContext" || method == "ForceWithContext"
	case strings.Contains(name, "client/v3/concurrency"), strings.Contains(name, "hashicorp/consul/api"):
		return method == "Lock"
	}
	return false
}

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
