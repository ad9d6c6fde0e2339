package lockrt_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// exercise takes a lock on a client from two lockers in turn, with a wait that is woken.
func exercise(t *testing.T, rdb redis.UniversalClient) {
	t.Helper()
	ctx := context.Background()
	a, b := newLocker(t, rdb), newLocker(t, rdb)
	for i := 0; i < 3; i++ {
		key := orders.Of("e", string(rune('a'+i)))
		first, err := a.Acquire(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan *lockrt.Lease, 1)
		go func() {
			le, err := b.Acquire(ctx, key, lockrt.Wait(10*time.Second))
			if err != nil {
				t.Error(err)
			}
			got <- le
		}()
		time.Sleep(100 * time.Millisecond)
		if err := first.Release(ctx); err != nil {
			t.Fatal(err)
		}
		freed := time.Now()
		second := <-got
		if second == nil {
			return
		}
		if took := time.Since(freed); took > 2*time.Second {
			t.Errorf("the hand-over took %v", took)
		}
		if second.Fence() <= first.Fence() {
			t.Errorf("fence %d after %d", second.Fence(), first.Fence())
		}
		if err := second.Release(ctx); err != nil {
			t.Error(err)
		}
	}
}

func TestOnCluster(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t)
	rdb := c.Client(t)
	exercise(t, rdb)
	report, err := newLocker(t, rdb).Check(context.Background())
	if err != nil || report.Mode != "cluster" || !report.Scripts || !report.PubSub || len(report.Problems) != 0 {
		t.Errorf("%+v %v", report, err)
	}
}

// A slot is moved to another node while a lock in it is held. In between the scripts cannot run (TRYAGAIN, since a part of
// their keys is elsewhere), which is an outage; the lease is renewed all the time, and the lock goes on where it is now.
func TestSlotMigration(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t)
	rdb := c.Client(t)
	ctx := context.Background()
	key := orders.Of("7")
	l, other := newLocker(t, rdb, lockrt.WithLease(2*time.Second)), newLocker(t, rdb)
	le, err := l.Acquire(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	m := newMigration(t, c, int(rdb.ClusterKeySlot(ctx, key.String()).Val()))
	m.begin()
	_, err = other.Acquire(ctx, key)
	wantIs(t, err, lockrt.ErrUnavailable)
	time.Sleep(2500 * time.Millisecond)
	m.end(key.String(), "{"+key.String()+"}:f")
	_, err = other.Acquire(ctx, key)
	wantIs(t, err, lockrt.ErrNotAcquired)
	time.Sleep(2500 * time.Millisecond)
	if err := le.Context().Err(); err != nil {
		t.Error(context.Cause(le.Context()))
	}
	if err := le.Release(ctx); err != nil {
		t.Error(err)
	}
	next, err := other.Acquire(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	if next.Fence() <= le.Fence() {
		t.Errorf("fence %d after %d", next.Fence(), le.Fence())
	}
	_ = next.Release(ctx)
}

// migration moves a slot by hand, as redis-cli --cluster reshard does.
type migration struct {
	t        *testing.T
	slot     int
	from, to *redistest.Server
	ids      map[*redistest.Server]string
}

func newMigration(t *testing.T, c *redistest.Cluster, slot int) *migration {
	n := slot * 3 / 16384
	m := &migration{t: t, slot: slot, from: c.Nodes[n], to: c.Nodes[(n+1)%3], ids: map[*redistest.Server]string{}}
	for _, s := range c.Nodes {
		m.ids[s] = s.Client(t).Do(context.Background(), "CLUSTER", "MYID").Val().(string)
	}
	return m
}

func (m *migration) do(s *redistest.Server, args ...interface{}) {
	m.t.Helper()
	if err := s.Client(m.t).Do(context.Background(), args...).Err(); err != nil {
		m.t.Fatal(args, err)
	}
}

func (m *migration) begin() {
	m.t.Helper()
	m.do(m.to, "CLUSTER", "SETSLOT", m.slot, "IMPORTING", m.ids[m.from])
	m.do(m.from, "CLUSTER", "SETSLOT", m.slot, "MIGRATING", m.ids[m.to])
}

func (m *migration) end(keys ...string) {
	m.t.Helper()
	host, port, err := net.SplitHostPort(m.to.Addr)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, k := range keys {
		m.do(m.from, "MIGRATE", host, port, k, 0, 5000)
	}
	for s := range m.ids {
		m.do(s, "CLUSTER", "SETSLOT", m.slot, "NODE", m.ids[m.to])
	}
}

func TestOnValkey(t *testing.T) {
	t.Parallel()
	rdb := valkey(t).Client(t)
	exercise(t, rdb)
	report, err := newLocker(t, rdb).Check(context.Background())
	if err != nil || report.Server != "valkey" || !strings.HasPrefix(report.Version, "8.") || len(report.Problems) != 0 {
		t.Errorf("%+v %v", report, err)
	}
}

// A failover: the lock is taken on the replica that was promoted, with a higher fence.
func TestOnSentinel(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	redistest.StartReplica(t, master)
	sentinel := redistest.StartSentinel(t, master)
	rdb := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: redistest.SentinelMaster, SentinelAddrs: []string{sentinel}})
	t.Cleanup(func() { _ = rdb.Close() })
	exercise(t, rdb)
	ctx := context.Background()
	l := newLocker(t, rdb, lockrt.WithReplicaAck(1, time.Second))
	before, err := l.Acquire(ctx, orders.Of("f"), lockrt.Wait(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if err := before.Release(ctx); err != nil {
		t.Fatal(err)
	}
	within(t, 20*time.Second, "the sentinel knows the replica", func() bool {
		c := redis.NewSentinelClient(&redis.Options{Addr: sentinel})
		defer c.Close()
		replicas, err := c.Replicas(ctx, redistest.SentinelMaster).Result()
		return err == nil && len(replicas) == 1
	})
	master.Kill()
	plain := newLocker(t, rdb)
	var after *lockrt.Lease
	within(t, 30*time.Second, "the lock can be taken again", func() bool {
		after, err = plain.Acquire(ctx, orders.Of("f"), lockrt.Wait(time.Second))
		if err != nil {
			wantIs(t, err, lockrt.ErrUnavailable)
		}
		return err == nil
	})
	if after.Fence() <= before.Fence() {
		t.Errorf("fence %d after %d", after.Fence(), before.Fence())
	}
	if err := after.Release(ctx); err != nil {
		t.Error(err)
	}
}

func TestReplicaAck(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	replica := redistest.StartReplica(t, master)
	rdb := master.Client(t)
	l := newLocker(t, rdb, lockrt.WithReplicaAck(1, 500*time.Millisecond))
	if _, err := l.Do(context.Background(), orders.Of("7"), nothing); err != nil {
		t.Fatal(err)
	}
	replica.Stop()
	_, err := l.Do(context.Background(), orders.Of("7"), nothing)
	wantIs(t, err, lockrt.ErrUnavailable)
	if rdb.Exists(context.Background(), orders.Of("7").String()).Val() != 0 {
		t.Error("a lock that was not replicated was not given back")
	}
	replica.Continue()
}

// The fence rises when everything that Redis knew is gone.
func TestFenceRisesWhenRedisForgets(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx := context.Background()
	var last int64
	for i, forget := range []func(){
		func() {},
		func() { s.rdb.FlushAll(ctx) },
		func() {
			s.server.Kill()
			if err := s.server.Run(); err != nil {
				t.Fatal(err)
			}
		},
		// A clock that was ahead, and was set back.
		func() {
			s.rdb.Set(ctx, "{"+s.key.String()+"}:f", last+int64(time.Hour/time.Microsecond), time.Hour)
			last += int64(time.Hour / time.Microsecond)
		},
		func() {},
	} {
		forget()
		le := s.acquire(s.l, lockrt.Wait(time.Second))
		if le.Fence() <= last {
			t.Errorf("step %d: fence %d after %d", i, le.Fence(), last)
		}
		last = le.Fence()
		_ = le.Release(ctx)
	}
	// It is kept until the clock has passed it.
	if ttl := s.rdb.PTTL(ctx, "{"+s.key.String()+"}:f").Val(); ttl < 2*time.Hour-time.Minute {
		t.Errorf("a fence an hour ahead is kept for %v", ttl)
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var buf lockedBuffer
	s := newScene(t, lockrt.WithLease(300*time.Millisecond), lockrt.WithLogger(slog.New(slog.NewTextHandler(&buf, nil))))
	le := s.acquire(s.l)
	s.rdb.Del(context.Background(), s.key.String())
	<-le.Context().Done()
	within(t, time.Second, "logged", func() bool { return strings.Contains(buf.String(), "lease lost") })
	_ = le.Release(context.Background())
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A client of a type that is not go-redis's own is used as it is.
func TestUnknownClient(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	wrapped := struct{ redis.UniversalClient }{s.rdb}
	l := newLocker(t, wrapped, lockrt.WithObserver(lockrt.ObserverFunc(func(lockrt.Event) {})))
	if _, err := l.Do(context.Background(), s.key, nothing); err != nil {
		t.Error(err)
	}
	report, err := l.Check(context.Background())
	if err != nil || report.OwnClient || len(report.Problems) != 1 {
		t.Errorf("%+v %v", report, err)
	}
	exercise(t, wrapped)
}
