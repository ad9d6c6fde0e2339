package clientmodel

// etcdLibrary is the mutex of etcd's client: the session's lease is kept alive by the library, and only the session's
// own key is deleted. Most programs that use etcd never come near it, so that only this package counts. Source: the
// package documentation of go.etcd.io/etcd/client/v3/concurrency. The paths that it had before are untested.
var etcdLibrary = library{
	paths: []string{
		"go.etcd.io/etcd/client/v3/concurrency", "go.etcd.io/etcd/clientv3/concurrency", "github.com/coreos/etcd/clientv3/concurrency",
	},
	rows:      func(string, string) map[string]Row { return etcdRows },
	sentinels: []string{"ErrLocked"},
}

const etcdMutexType = "concurrency.Mutex"

var etcdRows = map[string]Row{
	"NewMutex":      {Results: lockObject(etcdMutexType, 1), Ctx: -1},
	"Mutex.Lock":    {Commands: lockObjectDoes(Acquire, ErrReply), Roles: failed, Ctx: 1},
	"Mutex.TryLock": {Commands: lockObjectDoes(Acquire, ErrReply), Roles: failed, Ctx: 1},
	"Mutex.Unlock":  {Commands: lockObjectDoes(Release, ErrReply), Roles: failed, Ctx: 1},
}
