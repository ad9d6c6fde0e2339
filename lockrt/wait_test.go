package lockrt_test

import (
	"context"
	"math/rand"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// queueLen returns how many processes wait for the scene's lock.
func (s *scene) queueLen() int64 {
	return s.rdb.ZCard(context.Background(), "{"+s.key.String()+"}:q").Val()
}

// waiter waits for the scene's lock and reports when it got it.
func (s *scene) waiter(l *lockrt.Locker) <-chan time.Time {
	got := make(chan time.Time, 1)
	go func() {
		le, err := l.Acquire(context.Background(), s.key, lockrt.WaitForContext())
		if err != nil {
			s.t.Error(err)
			close(got)
			return
		}
		got <- time.Now()
		_ = le.Release(context.Background())
	}()
	return got
}

func TestFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	held := s.acquire(s.l)
	a, b := s.locker(), s.locker()
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i, l := range []*lockrt.Locker{a, a, b, b} {
		i, l := i, l
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := l.Do(context.Background(), s.key, func(context.Context) error {
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				return nil
			}, lockrt.WaitForContext())
			if err != nil {
				t.Error(err)
			}
		}()
		time.Sleep(100 * time.Millisecond)
	}
	_ = held.Release(context.Background())
	wg.Wait()
	// The processes take turns, and within each the flows are served in order.
	if want := "[0 2 1 3]"; strings.Join(strings.Fields(intsText(order)), " ") != want {
		t.Errorf("order is %v, want %s", order, want)
	}
}

func intsText(v []int) string {
	var b strings.Builder
	for i, x := range v {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(x))
	}
	return "[" + b.String() + "]"
}

// All messages are lost: the next wait ends when the waiter looks again.
func TestLostMessages(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx := context.Background()
	held := s.acquire(s.l)
	got := s.waiter(s.locker())
	within(t, 5*time.Second, "queued", func() bool { return s.queueLen() == 1 })
	// As if the message went nowhere: the lock is free, and nobody was told.
	s.rdb.Del(ctx, s.key.String())
	freed := time.Now()
	if took := (<-got).Sub(freed); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	_ = held.Release(ctx)
}

// The connection for messages is cut again and again; go-redis subscribes again, and what was missed is made up for.
func TestSubscriptionIsCut(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx := context.Background()
	other := s.locker()
	for i := 0; i < 5; i++ {
		held := s.acquire(s.l, lockrt.Wait(5*time.Second))
		got := s.waiter(other)
		within(t, 5*time.Second, "queued", func() bool { return s.queueLen() == 1 })
		s.rdb.Do(ctx, "CLIENT", "KILL", "TYPE", "pubsub")
		_ = held.Release(ctx)
		freed := time.Now()
		if took := (<-got).Sub(freed); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
	}
	if s.events.count(lockrt.EventSubscription, "lost") == 0 || s.events.count(lockrt.EventSubscription, "subscribed") < 2 {
		t.Errorf("events: %+v", s.events.all)
	}
}

func TestPubSubForbidden(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	admin := server.Client(t)
	ctx := context.Background()
	if err := admin.Do(ctx, "ACL", "SETUSER", "app", "on", ">pw", "~*", "resetchannels", "+@all").Err(); err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr, Username: "app", Password: "pw"})
	defer rdb.Close()
	s := &scene{t: t, server: server, rdb: rdb, key: orders.Of("7"), events: &recorder{}}
	first, other := s.locker(), s.locker()
	held := s.acquire(first)
	got := s.waiter(other)
	within(t, 5*time.Second, "forbidden", func() bool { return s.events.count(lockrt.EventSubscription, "forbidden") == 1 })
	time.Sleep(300 * time.Millisecond)
	if err := held.Release(ctx); err != nil {
		t.Fatal(err)
	}
	freed := time.Now()
	if took := (<-got).Sub(freed); took > 1200*time.Millisecond {
		t.Errorf("took %v", took)
	}
	report, err := other.Check(ctx)
	if err != nil || report.PubSub || len(report.Problems) != 1 {
		t.Errorf("%+v %v", report, err)
	}
}

// Scripts are forgotten between any two commands.
func TestScriptFlush(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(400*time.Millisecond))
	ctx := context.Background()
	for i := 0; i < 20; i++ {
		s.rdb.ScriptFlush(ctx)
		le := s.acquire(s.l)
		s.rdb.ScriptFlush(ctx)
		if i == 0 {
			time.Sleep(time.Second)
		}
		if err := le.Release(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOlderLock(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(600*time.Millisecond))
	ctx := context.Background()
	name := "old:lock:7"
	s.key = orders.Legacy(name)
	// It holds: lockrt waits, and looks at most ten times a second.
	s.rdb.SetNX(ctx, name, "1", 30*time.Second)
	before := s.commands()
	got := s.waiter(s.l)
	time.Sleep(2 * time.Second)
	if n := s.commands() - before; n > 20 || n < 2 {
		t.Errorf("%d commands in 2s", n)
	}
	s.rdb.Del(ctx, name)
	freed := time.Now()
	if took := (<-got).Sub(freed); took > 1200*time.Millisecond {
		t.Errorf("took %v", took)
	}
	// Lockrt holds: it is refused.
	within(t, time.Second, "free", func() bool { return s.get() == "" })
	le := s.acquire(s.l)
	if ok := s.rdb.SetNX(ctx, name, "1", time.Second).Val(); ok {
		t.Error("the older lock got it too")
	}
	// It deletes our key: told within a renewal.
	s.rdb.Del(ctx, name)
	start := time.Now()
	<-le.Context().Done()
	if took := time.Since(start); took > 300*time.Millisecond {
		t.Errorf("told after %v", took)
	}
	wantIs(t, context.Cause(le.Context()), lockrt.ErrLeaseLost)
	wantIs(t, le.Release(ctx), lockrt.ErrExpired)
}

// A process is killed or stopped with many flows in line. The others do not wait for it.
func TestWaitersOfADeadProcess(t *testing.T) {
	for name, c := range map[string]struct {
		signal syscall.Signal
		most   time.Duration
	}{
		"Killed":  {syscall.SIGKILL, 300 * time.Millisecond},
		"Stopped": {syscall.SIGSTOP, 2500 * time.Millisecond},
	} {
		c := c
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			held := s.acquire(s.l)
			w, err := startWorker(t, workerConfig{Addr: s.server.Addr, Lease: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.order(order{Do: "acquire", Key: "7", Wait: time.Minute}); err != nil {
				t.Fatal(err)
			}
			within(t, 5*time.Second, "the process queues", func() bool { return s.queueLen() == 1 })
			got := s.waiter(s.locker())
			within(t, 5*time.Second, "queued behind it", func() bool { return s.queueLen() == 2 })
			w.signal(c.signal)
			time.Sleep(100 * time.Millisecond)
			_ = held.Release(context.Background())
			freed := time.Now()
			if took := (<-got).Sub(freed); took > c.most {
				t.Errorf("took %v", took)
			}
		})
	}
}

// A waiter that gives up hands on its place and its turn.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx := context.Background()
	a, b := s.locker(), s.locker()
	for i := 0; i < 30; i++ {
		held := s.acquire(s.l, lockrt.Wait(5*time.Second))
		quitting, quit := context.WithCancel(ctx)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if le, err := a.Acquire(quitting, s.key, lockrt.WaitForContext()); err == nil {
				_ = le.Release(ctx)
			}
		}()
		within(t, 5*time.Second, "queued", func() bool { return s.queueLen() == 1 })
		got := s.waiter(b)
		within(t, 5*time.Second, "queued behind it", func() bool { return s.queueLen() == 2 })
		go quit()
		_ = held.Release(ctx)
		freed := time.Now()
		if took := (<-got).Sub(freed); took > 400*time.Millisecond {
			t.Errorf("took %v", took)
		}
		<-gone
	}
	within(t, time.Second, "nothing is left", func() bool { return len(s.leftOver()) == 0 })
}

// leftOver returns the keys of locks, queues and reservations that exist. Fences stay for an hour; they must have a TTL.
func (s *scene) leftOver() []string {
	s.t.Helper()
	ctx := context.Background()
	var left []string
	for _, k := range s.rdb.Keys(ctx, "*").Val() {
		if strings.HasSuffix(k, ":f") {
			if ttl := s.rdb.PTTL(ctx, k).Val(); ttl <= 0 || ttl > time.Hour+time.Minute {
				s.t.Errorf("TTL of %s is %v", k, ttl)
			}
			continue
		}
		left = append(left, k)
	}
	return left
}

// After many operations of all sorts nothing is left: no key, no subscription, no goroutine.
func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	server := redistest.Start(t)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr})
	s := &scene{t: t, server: server, rdb: rdb, key: orders.Of("7"), events: &recorder{}}
	var lockers []*lockrt.Locker
	for i := 0; i < 4; i++ {
		l, err := lockrt.New(rdb, lockrt.WithLease(2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		lockers = append(lockers, l)
	}
	churn(t, lockers, 20_000) // lockrt/faults does more, and asks goleak
	within(t, 3*time.Second, "no key is left", func() bool { return len(s.leftOver()) == 0 })
	if n := len(rdb.PubSubChannels(context.Background(), "*").Val()); n > len(lockers) {
		t.Errorf("%d channels for %d lockers", n, len(lockers))
	}
	for _, l := range lockers {
		if err := l.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	within(t, 3*time.Second, "no channel is left", func() bool {
		return len(rdb.PubSubChannels(context.Background(), "*").Val()) == 0
	})
	_ = rdb.Close()
	within(t, 3*time.Second, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}

// churn does operations at random: tries, waits that end, waits that are cancelled, several keys.
func churn(t *testing.T, lockers []*lockrt.Locker, operations int) {
	t.Helper()
	const flows = 32
	var wg sync.WaitGroup
	for f := 0; f < flows; f++ {
		rnd := rand.New(rand.NewSource(int64(f)))
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < operations/flows; i++ {
				key := orders.Of("churn", strconv.Itoa(rnd.Intn(100)))
				l := lockers[rnd.Intn(len(lockers))]
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rnd.Intn(20))*time.Millisecond)
				switch rnd.Intn(3) {
				case 0:
					_, _ = l.Do(context.Background(), key, nothing)
				case 1:
					_, _ = l.Do(ctx, key, nothing, lockrt.WaitForContext())
				default:
					_, _ = l.Do(context.Background(), key, nothing, lockrt.Wait(time.Duration(rnd.Intn(10))*time.Millisecond))
				}
				cancel()
			}
		}()
	}
	wg.Wait()
}
