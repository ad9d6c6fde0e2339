package lockrt_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// cause is one way in which an acquisition fails, brought about on a real server.
type cause struct {
	name string
	want error
	// make returns the client with which the lock is tried, after it has brought the cause about.
	make func(t *testing.T) redis.UniversalClient
	opts []lockrt.Option
	call []lockrt.AcquireOption
}

// allClasses are the classes of which exactly one must match.
var allClasses = []error{
	lockrt.ErrNotAcquired, lockrt.ErrUnavailable, lockrt.ErrMisconfigured, lockrt.ErrLeaseLost, lockrt.ErrNotOwner,
	lockrt.ErrExpired, lockrt.ErrReentrant, lockrt.ErrBadKey, lockrt.ErrClosed,
}

func TestErrorClasses(t *testing.T) {
	for _, c := range causes() {
		c := c
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.fail(t)
			t.Log(err)
			if err == nil {
				t.Fatal("acquired")
			}
			for _, class := range allClasses {
				if errors.Is(err, class) != (class == c.want) {
					t.Errorf("errors.Is(%v) is %v", class, class != c.want)
				}
			}
		})
	}
}

func (c cause) fail(t *testing.T) error {
	rdb := c.make(t)
	l, err := lockrt.New(rdb, append([]lockrt.Option{lockrt.WithLease(3 * time.Second)}, c.opts...)...)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	le, err := l.Acquire(context.Background(), orders.Of("7"), c.call...)
	if err == nil {
		_ = le.Release(context.Background())
		return nil
	}
	out, doErr := l.Do(context.Background(), orders.Of("7"), nothing, lockrt.OnOutage(lockrt.Proceed))
	if ran := doErr == nil && out.Mode == lockrt.Degraded; ran != (c.want == lockrt.ErrUnavailable) {
		t.Errorf("OnOutage(Proceed): mode %v, error %v", out.Mode, doErr)
	}
	return err
}

// on brings a cause about with commands to a server that is started with args.
func on(args []string, commands ...[]interface{}) func(t *testing.T) redis.UniversalClient {
	return func(t *testing.T) redis.UniversalClient {
		rdb := redistest.Start(t, args...).Client(t)
		for _, c := range commands {
			if err := rdb.Do(context.Background(), c...).Err(); err != nil {
				t.Fatal(c, err)
			}
		}
		return rdb
	}
}

// as does the same, and then uses another user.
func as(user string, rules ...interface{}) func(t *testing.T) redis.UniversalClient {
	return func(t *testing.T) redis.UniversalClient {
		s := redistest.Start(t)
		set := append([]interface{}{"ACL", "SETUSER", user, "on", ">pw"}, rules...)
		if err := s.Client(t).Do(context.Background(), set...).Err(); err != nil {
			t.Fatal(err)
		}
		rdb := redis.NewClient(&redis.Options{Addr: s.Addr, Username: user, Password: "pw"})
		t.Cleanup(func() { _ = rdb.Close() })
		return rdb
	}
}

func cmd(args ...interface{}) []interface{} { return args }

func to(t *testing.T, addr string) *redis.Client {
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// listen is a server that does with a connection what serve does.
func listen(t *testing.T, serve func(net.Conn)) redis.UniversalClient {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serve(conn)
		}
	}()
	return to(t, ln.Addr().String())
}

func causes() []cause {
	all := append(unavailable(), misconfigured()...)
	return append(all, contended()...)
}

func unavailable() []cause {
	u := lockrt.ErrUnavailable
	return []cause{
		{name: "connection refused", want: u, make: func(t *testing.T) redis.UniversalClient { return to(t, redistest.FreeAddr(t)) }},
		{name: "no such host", want: u, make: func(t *testing.T) redis.UniversalClient { return to(t, "nowhere.invalid:6379") }},
		{name: "connection reset", want: u, make: func(t *testing.T) redis.UniversalClient {
			return listen(t, func(c net.Conn) { _ = c.Close() })
		}},
		{name: "nobody answers", want: u, make: func(t *testing.T) redis.UniversalClient {
			return listen(t, func(c net.Conn) { t.Cleanup(func() { _ = c.Close() }) })
		}},
		{name: "no TLS there", want: u, make: func(t *testing.T) redis.UniversalClient {
			rdb := redis.NewClient(&redis.Options{Addr: redistest.Start(t).Addr, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}})
			t.Cleanup(func() { _ = rdb.Close() })
			return rdb
		}},
		{name: "frozen", want: u, make: func(t *testing.T) redis.UniversalClient {
			s := redistest.Start(t)
			s.Stop()
			return s.Client(t)
		}},
		{name: "killed", want: u, make: func(t *testing.T) redis.UniversalClient {
			s := redistest.Start(t)
			s.Kill()
			return s.Client(t)
		}},
		{name: "LOADING", want: u, make: loading},
		{name: "BUSY", want: u, make: busy},
		{name: "READONLY replica", want: u, make: func(t *testing.T) redis.UniversalClient {
			return redistest.StartReplica(t, redistest.Start(t)).Client(t)
		}},
		{name: "MASTERDOWN", want: u, make: func(t *testing.T) redis.UniversalClient {
			master := redistest.Start(t)
			replica := redistest.StartReplica(t, master, "--replica-serve-stale-data", "no")
			master.Kill()
			rdb := replica.Client(t)
			within(t, 10*time.Second, "the link is down", func() bool {
				return redis.HasErrorPrefix(rdb.Get(context.Background(), "x").Err(), "MASTERDOWN")
			})
			return rdb
		}},
		{name: "NOREPLICAS", want: u, make: on([]string{"--min-replicas-to-write", "1"})},
		{name: "MISCONF", want: u, make: misconf},
		{name: "OOM", want: u, make: on([]string{"--maxmemory", "1", "--maxmemory-policy", "noeviction"})},
		{name: "max clients", want: u, make: func(t *testing.T) redis.UniversalClient {
			s := redistest.Start(t, "--maxclients", "1")
			if err := s.Client(t).Ping(context.Background()).Err(); err != nil {
				t.Fatal(err)
			}
			return s.Client(t)
		}},
		{name: "CLIENT PAUSE", want: u, make: on(nil, cmd("CLIENT", "PAUSE", "3000", "ALL"))},
		{name: "CLUSTERDOWN", want: u, make: func(t *testing.T) redis.UniversalClient {
			_, bus, _ := net.SplitHostPort(redistest.FreeAddr(t))
			return redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", bus).Client(t)
		}},
		{name: "cluster without one master", want: u, make: func(t *testing.T) redis.UniversalClient {
			c := redistest.StartCluster(t)
			rdb := c.Client(t)
			slot := rdb.ClusterKeySlot(context.Background(), orders.Of("7").String()).Val()
			c.Nodes[slot*3/16384].Kill()
			return rdb
		}},
		{name: "no sentinel", want: u, make: func(t *testing.T) redis.UniversalClient {
			rdb := redis.NewFailoverClient(&redis.FailoverOptions{
				MasterName: redistest.SentinelMaster, SentinelAddrs: []string{redistest.FreeAddr(t)}})
			t.Cleanup(func() { _ = rdb.Close() })
			return rdb
		}},
		{name: "not replicated", want: u, make: on(nil), opts: []lockrt.Option{lockrt.WithReplicaAck(1, 50*time.Millisecond)}},
	}
}

func misconfigured() []cause {
	m := lockrt.ErrMisconfigured
	return []cause{
		{name: "WRONGTYPE hash", want: m, make: on(nil, cmd("HSET", orders.Of("7").String(), "owner", "1"))},
		{name: "WRONGTYPE list", want: m, make: on(nil, cmd("RPUSH", orders.Of("7").String(), "1"))},
		{name: "NOAUTH", want: m, make: on([]string{}, cmd("CONFIG", "SET", "requirepass", "pw"))},
		{name: "WRONGPASS", want: m, make: func(t *testing.T) redis.UniversalClient {
			rdb := redis.NewClient(&redis.Options{Addr: redistest.Start(t, "--requirepass", "pw").Addr, Password: "wrong"})
			t.Cleanup(func() { _ = rdb.Close() })
			return rdb
		}},
		{name: "NOPERM scripts", want: m, make: as("app", "~*", "&*", "+@all", "-@scripting")},
		{name: "NOPERM command in a script", want: m, make: as("app", "~*", "&*", "+@all", "-set")},
		{name: "NOPERM key", want: m, make: as("app", "~other:*", "&*", "+@all")},
		{name: "NOPERM companions", want: m, make: as("app", "~test:*", "&*", "+@all")},
		{name: "unknown command", want: m, make: on([]string{"--rename-command", "EVALSHA", ""})},
		{name: "Ring", want: m, make: func(t *testing.T) redis.UniversalClient {
			rdb := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": "127.0.0.1:1"}})
			t.Cleanup(func() { _ = rdb.Close() })
			return rdb
		}},
		{name: "no client", want: m, make: func(*testing.T) redis.UniversalClient { return nil }},
		{name: "lease too short", want: m, make: on(nil), opts: []lockrt.Option{lockrt.WithLease(time.Millisecond)}},
		{name: "lease of half a millisecond", want: m, make: on(nil), opts: []lockrt.Option{lockrt.WithLease(time.Second + 500*time.Microsecond)}},
		{name: "replica ack without a time", want: m, make: on(nil), opts: []lockrt.Option{lockrt.WithReplicaAck(1, 0)}},
		{name: "replica ack on a cluster", want: m, opts: []lockrt.Option{lockrt.WithReplicaAck(1, time.Second)},
			make: func(t *testing.T) redis.UniversalClient {
				rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}})
				t.Cleanup(func() { _ = rdb.Close() })
				return rdb
			}},
		{name: "strict and eviction", want: m, opts: []lockrt.Option{lockrt.WithStrictServer()},
			make: on([]string{"--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru"})},
		{name: "strict and no pub/sub", want: m, opts: []lockrt.Option{lockrt.WithStrictServer()},
			make: as("app", "~*", "resetchannels", "+@all")},
	}
}

func contended() []cause {
	n := lockrt.ErrNotAcquired
	key := orders.Of("7").String()
	return []cause{
		{name: "held by lockrt", want: n, make: func(t *testing.T) redis.UniversalClient {
			s := newScene(t)
			le := s.acquire(s.l)
			t.Cleanup(func() { _ = le.Release(context.Background()) })
			return s.rdb
		}},
		{name: "held by an older lock", want: n, make: on(nil, cmd("SET", key, "1", "NX", "EX", "30"))},
		{name: "held for ever", want: n, make: on(nil, cmd("SETNX", key, "1"))},
		{name: "reserved for another process", want: n, make: on(nil, cmd("SET", "{"+key+"}:r", "somebody", "PX", "30000"))},
		{name: "held, and the wait is over", want: n, make: on(nil, cmd("SET", key, "1", "NX", "EX", "30")),
			call: []lockrt.AcquireOption{lockrt.Wait(300 * time.Millisecond)}},
		{name: "held in a cluster", want: n, make: func(t *testing.T) redis.UniversalClient {
			rdb := redistest.StartCluster(t).Client(t)
			if err := rdb.Set(context.Background(), key, "x", time.Minute).Err(); err != nil {
				t.Fatal(err)
			}
			return rdb
		}},
		{name: "held on valkey", want: n, make: func(t *testing.T) redis.UniversalClient {
			rdb := valkey(t).Client(t)
			rdb.Set(context.Background(), key, "x", time.Minute)
			return rdb
		}},
	}
}

// valkey starts a Valkey server. It is the one thing whose absence skips a test: it is not in Debian 12 itself.
func valkey(t *testing.T, args ...string) *redistest.Server {
	t.Helper()
	if _, err := exec.LookPath("valkey-server"); err != nil {
		t.Skip("valkey-server is not installed; it is in the backports of Debian 12")
	}
	return redistest.StartBinary(t, "valkey-server", args...)
}

// loading restarts a server that takes long to read its data.
func loading(t *testing.T) redis.UniversalClient {
	s := redistest.Start(t)
	rdb := s.Client(t)
	ctx := context.Background()
	for i := 0; i < 2000; i++ {
		rdb.Set(ctx, "fill:"+strconv.Itoa(i), "x", 0)
	}
	if err := rdb.Save(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	s.Kill()
	// 5 ms for each key: far longer than the test.
	s2 := redistest.StartIn(t, s.Dir, "--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024")
	return s2.Client(t)
}

// busy runs a script that does not end.
func busy(t *testing.T) redis.UniversalClient {
	s := redistest.Start(t, "--busy-reply-threshold", "20")
	hog := redis.NewClient(&redis.Options{Addr: s.Addr, ReadTimeout: -1})
	go func() { _ = hog.Eval(context.Background(), "while true do end", nil).Err() }()
	t.Cleanup(func() { _ = hog.Close() })
	rdb := s.Client(t)
	within(t, 5*time.Second, "busy", func() bool {
		return redis.HasErrorPrefix(rdb.Get(context.Background(), "x").Err(), "BUSY")
	})
	return rdb
}

// misconf makes the server's snapshots fail, after which it refuses writes.
func misconf(t *testing.T) redis.UniversalClient {
	s := redistest.Start(t)
	rdb := s.Client(t)
	ctx := context.Background()
	rdb.ConfigSet(ctx, "save", "3600 1000000")
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	rdb.BgSave(ctx)
	within(t, 5*time.Second, "refuses writes", func() bool {
		return redis.HasErrorPrefix(rdb.Set(ctx, "x", "1", 0).Err(), "MISCONF")
	})
	return rdb
}
