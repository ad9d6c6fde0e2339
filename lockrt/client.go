package lockrt

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/redis/go-redis/v9"
)

// connection is the client that locks use.
type connection struct {
	redis.UniversalClient
	own     bool // closed with the Locker
	cluster bool
	// interrupts is nil for a client that is not the Locker's own.
	interrupts *interrupts
}

// connect makes a client of the Locker's own with the options of the given one: same servers, same credentials, but none
// of its hooks and limiters. A circuit breaker that somebody put around their cache would drop releases, each of which
// then costs a whole lease. The pool is its own too, so locks do not wait behind the cache's slow commands.
//
// Of a client type that is not go-redis's own nothing is known but its methods, so that one is used as it is.
func connect(given redis.UniversalClient, timeout time.Duration) (connection, error) {
	i := newInterrupts()
	switch c := given.(type) {
	case nil:
		return connection{}, errors.New("the client is nil")
	case *redis.Client:
		own := redis.NewClient(singleOptions(*c.Options(), timeout, i))
		return connection{UniversalClient: own, own: true, interrupts: i}, nil
	case *redis.ClusterClient:
		own := redis.NewClusterClient(clusterOptions(*c.Options(), timeout, i))
		return connection{UniversalClient: own, own: true, cluster: true, interrupts: i}, nil
	case *redis.Ring:
		return connection{}, fmt.Errorf("a Ring moves a key to another server whenever one goes or comes, " +
			"so two owners can hold one lock; use a client of one server, Sentinel or Cluster")
	}
	return connection{UniversalClient: given}, nil
}

// singleOptions also serves failover clients: their way of finding the master is in the Dialer.
func singleOptions(o redis.Options, timeout time.Duration, i *interrupts) *redis.Options {
	o.Limiter = nil
	unshare(&o)
	// Each command is bounded by its context, so the client's own bounds only must not be shorter. Retries are ours: we
	// know which of them need another look afterwards.
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	o.PoolTimeout, o.DialTimeout = timeout, timeout
	o.ReadTimeout, o.WriteTimeout = 2*timeout, 2*timeout
	if o.Dialer == nil {
		o.Dialer = redis.NewDialer(&o)
	}
	o.Dialer = i.dialer(o.Dialer)
	return &o
}

func clusterOptions(o redis.ClusterOptions, timeout time.Duration, i *interrupts) *redis.ClusterOptions {
	unshare(&o)
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	o.PoolTimeout, o.DialTimeout = timeout, timeout
	o.ReadTimeout, o.WriteTimeout = 2*timeout, 2*timeout
	// Scripts that write go to masters; this client sends nothing else.
	o.ReadOnly, o.RouteByLatency, o.RouteRandomly = false, false, false
	if o.Dialer == nil {
		o.Dialer = redis.NewDialer(&redis.Options{DialTimeout: timeout, TLSConfig: o.TLSConfig})
	}
	o.Dialer = i.dialer(o.Dialer)
	return &o
}

// shared are options of newer versions of go-redis through which two clients would share state: a second client that
// registers its handlers with the processor of the first one fails, and panics if maintenance notifications are required.
// They are set by name, so that older versions, which do not have them, will do.
var shared = [...]string{"PushNotificationProcessor", "ClientSideCache", "ClientSideCacheConfig"}

func unshare(options any) {
	v := reflect.ValueOf(options).Elem()
	for _, name := range shared {
		if f := v.FieldByName(name); f.IsValid() && f.CanSet() {
			f.SetZero()
		}
	}
}

// shut closes the client if it is the Locker's own.
func (c connection) shut() error {
	if !c.own {
		return nil
	}
	return c.UniversalClient.Close()
}
