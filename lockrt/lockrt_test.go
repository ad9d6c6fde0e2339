package lockrt_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

var orders = lockrt.MustPrefix("test:order")

// scene is a server with a Locker.
type scene struct {
	t      *testing.T
	server *redistest.Server
	rdb    *redis.Client
	l      *lockrt.Locker
	key    lockrt.Key
	events *recorder
}

func newScene(t *testing.T, opts ...lockrt.Option) *scene {
	t.Helper()
	return sceneOn(t, redistest.Start(t), opts...)
}

func sceneOn(t *testing.T, server *redistest.Server, opts ...lockrt.Option) *scene {
	t.Helper()
	s := &scene{t: t, server: server, rdb: server.Client(t), key: orders.Of("7"), events: &recorder{}}
	s.l = s.locker(opts...)
	return s
}

// locker returns one more Locker, as another process would have.
func (s *scene) locker(opts ...lockrt.Option) *lockrt.Locker {
	s.t.Helper()
	opts = append([]lockrt.Option{lockrt.WithObserver(s.events)}, opts...)
	return newLocker(s.t, s.rdb, opts...)
}

func newLocker(t *testing.T, rdb redis.UniversalClient, opts ...lockrt.Option) *lockrt.Locker {
	t.Helper()
	l, err := lockrt.New(rdb, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return l
}

func (s *scene) get() string {
	s.t.Helper()
	v, err := s.rdb.Get(context.Background(), s.key.String()).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		s.t.Fatal(err)
	}
	return v
}

func (s *scene) acquire(l *lockrt.Locker, opts ...lockrt.AcquireOption) *lockrt.Lease {
	s.t.Helper()
	le, err := l.Acquire(context.Background(), s.key, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	return le
}

// recorder keeps events.
type recorder struct {
	mu  sync.Mutex
	all []lockrt.Event
}

func (r *recorder) Observe(e lockrt.Event) {
	r.mu.Lock()
	r.all = append(r.all, e)
	r.mu.Unlock()
}

// count returns how many events of a kind there were; with a label, only those with that one.
func (r *recorder) count(kind lockrt.EventKind, label ...string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, e := range r.all {
		if e.Kind == kind && (len(label) == 0 || e.Label == label[0]) {
			n++
		}
	}
	return n
}

func within(t *testing.T, d time.Duration, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(d)
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", d, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func wantIs(t *testing.T, err error, want ...error) {
	t.Helper()
	for _, w := range want {
		if !errors.Is(err, w) {
			t.Errorf("error is %v, want one that matches %v", err, w)
		}
	}
}

func TestAcquireAndRelease(t *testing.T) {
	s := newScene(t)
	first := s.acquire(s.l)
	if s.get() == "" {
		t.Fatal("no key")
	}
	if ttl := s.rdb.PTTL(context.Background(), s.key.String()).Val(); ttl < 29*time.Second || ttl > 30*time.Second {
		t.Errorf("TTL is %v", ttl)
	}
	_, err := s.l.Acquire(context.Background(), s.key)
	wantIs(t, err, lockrt.ErrNotAcquired)
	var detail *lockrt.NotAcquiredError
	if !errors.As(err, &detail) || detail.Foreign || detail.HolderTTL < 29*time.Second || detail.Key != s.key.String() {
		t.Errorf("detail is %+v", detail)
	}
	if err := first.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	if v := s.get(); v != "" {
		t.Errorf("still there: %s", v)
	}
	second := s.acquire(s.l)
	if second.Fence() <= first.Fence() {
		t.Errorf("fence %d after %d", second.Fence(), first.Fence())
	}
	if err := second.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestWoken(t *testing.T) {
	s := newScene(t)
	other := s.locker()
	first := s.acquire(s.l)
	got := make(chan time.Time)
	go func() {
		le, err := other.Acquire(context.Background(), s.key, lockrt.Wait(10*time.Second))
		if err != nil {
			t.Error(err)
			close(got)
			return
		}
		got <- time.Now()
		_ = le.Release(context.Background())
	}()
	within(t, 5*time.Second, "queued", func() bool {
		return s.rdb.ZCard(context.Background(), "{"+s.key.String()+"}:q").Val() == 1
	})
	_ = first.Release(context.Background())
	released := time.Now()
	if took := (<-got).Sub(released); took > 500*time.Millisecond {
		t.Errorf("took %v", took)
	}
	if s.events.count(lockrt.EventWakeup, "message") != 1 {
		t.Errorf("events: %+v", s.events.all)
	}
}
