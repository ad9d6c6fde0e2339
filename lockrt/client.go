package lockrt

import (
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// connection is the client that locks use.
type connection struct {
	redis.UniversalClient
	own     bool // closed with the Locker
	cluster bool
}

// connect makes a client of the Locker's own with the options of the given one: same servers, same credentials, but none
// of its hooks and limiters. A circuit breaker that somebody put around their cache would drop releases, each of which
// then costs a whole lease. The pool is its own too, so locks do not wait behind the cache's slow commands.
//
// Of a client type that is not go-redis's own nothing is known but its methods, so that one is used as it is.
func connect(given redis.UniversalClient, timeout time.Duration) (connection, error) {
	switch c := given.(type) {
	case nil:
		return connection{}, errors.New("the client is nil")
	case *redis.Client:
		return connection{UniversalClient: redis.NewClient(singleOptions(*c.Options(), timeout)), own: true}, nil
	case *redis.ClusterClient:
		o := clusterOptions(*c.Options(), timeout)
		return connection{UniversalClient: redis.NewClusterClient(o), own: true, cluster: true}, nil
	case *redis.Ring:
		return connection{}, fmt.Errorf("a Ring moves a key to another server whenever one goes or comes, " +
			"so two owners can hold one lock; use a client of one server, Sentinel or Cluster")
	}
	return connection{UniversalClient: given}, nil
}

// singleOptions also serves failover clients: their way of finding the master is in the Dialer.
func singleOptions(o redis.Options, timeout time.Duration) *redis.Options {
	o.Limiter = nil
	// Each command is bounded by its context. Retries are ours: we know which of them need another look afterwards.
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	o.ReadTimeout, o.WriteTimeout, o.PoolTimeout, o.DialTimeout = timeout, timeout, timeout, timeout
	return &o
}

func clusterOptions(o redis.ClusterOptions, timeout time.Duration) *redis.ClusterOptions {
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	o.ReadTimeout, o.WriteTimeout, o.PoolTimeout, o.DialTimeout = timeout, timeout, timeout, timeout
	// Scripts that write go to masters; this client sends nothing else.
	o.ReadOnly, o.RouteByLatency, o.RouteRandomly = false, false, false
	return &o
}

// shut closes the client if it is the Locker's own.
func (c connection) shut() error {
	if !c.own {
		return nil
	}
	return c.UniversalClient.Close()
}
