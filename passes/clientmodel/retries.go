package clientmodel

import (
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
