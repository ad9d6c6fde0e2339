package clientmodel

// etcdLibrary is the mutex of etcd's client: the session's lease is kept alive by the library, and only the session's
// own key is deleted. Source: the package documentation of go.etcd.io/etcd/client/v3/concurrency. The path before the
// project moved is untested.
var etcdLibrary = library{
	paths: []string{"go.etcd.io/etcd/client", "github.com/coreos/etcd/clientv3"},
	rows: func(sub, _ string) map[string]Row {
		if sub != "concurrency" {
			return nil
		}
		return etcdRows
	},
	sentinels: []string{"ErrLocked"},
}

const etcdMutexType = "concurrency.Mutex"

var etcdRows = map[string]Row{
	"NewMutex":      {Results: lockObject(etcdMutexType, 1), Ctx: -1},
	"Mutex.Lock":    {Commands: lockObjectDoes(Acquire, ErrReply), Roles: failed, Ctx: 1},
	"Mutex.TryLock": {Commands: lockObjectDoes(Acquire, ErrReply), Roles: failed, Ctx: 1},
	"Mutex.Unlock":  {Commands: lockObjectDoes(Release, ErrReply), Roles: failed, Ctx: 1},
}
