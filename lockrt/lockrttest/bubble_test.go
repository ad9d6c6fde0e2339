//go:build go1.25

// Bubbles need the timers of Go 1.23, which a module for older versions has to ask for.
//go:debug asynctimerchan=0

package lockrttest_test

import (
	"context"
	"errors"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/lockrttest"
)

// In a bubble, half an hour of renewals takes no time.
func TestVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := lockrttest.New(t)
		l := srv.Locker()
		start := time.Now()
		_, err := l.Do(context.Background(), jobs.Of("long"), func(ctx context.Context) error {
			time.Sleep(30 * time.Minute)
			return ctx.Err()
		})
		if err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 30*time.Minute {
			t.Errorf("took %v", took)
		}
		srv.AssertNoLeak()
	})
}

// An outage that is too long: the context ends before the lease can, exactly.
func TestVirtualOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := lockrttest.New(t)
		l := srv.Locker()
		start := time.Now()
		out, err := l.Do(context.Background(), jobs.Of("outage"), func(ctx context.Context) error {
			srv.Outage(true)
			<-ctx.Done()
			return nil
		})
		if took := time.Since(start); took < 25*time.Second || took >= 30*time.Second {
			t.Errorf("the context ended after %v", took)
		}
		if !errors.Is(err, lockrt.ErrLeaseLost) || !errors.Is(out.ReleaseErr, lockrt.ErrUnavailable) {
			t.Errorf("%v, %v", err, out.ReleaseErr)
		}
		srv.Outage(false)
		srv.AssertNoLeak()
	})
}

func TestAssertNoLeakNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorded{}
		srv := lockrttest.New(r)
		l := srv.Locker()
		le, err := l.Acquire(context.Background(), jobs.Of("leak"))
		if err != nil {
			t.Fatal(err)
		}
		srv.AssertNoLeak()
		if len(r.errs) != 1 || !strings.Contains(r.errs[0], "kit:job:leak") {
			t.Errorf("errors: %q", r.errs)
		}
		if le.Remaining() <= 0 {
			t.Error("the lease was not renewed meanwhile")
		}
		r.end() // the Locker is closed with a lease
		if len(r.errs) != 2 {
			t.Errorf("errors: %q", r.errs)
		}
	})
}

// Many schedules in virtual time: owners that work longer or shorter, outages, lost leases. No two may believe at the same
// moment that they hold the lock, and fences rise.
func TestVirtualSchedules(t *testing.T) {
	for seed := int64(1); seed <= 60; seed++ {
		synctest.Test(t, func(t *testing.T) { schedule(t, seed) })
	}
}

func schedule(t *testing.T, seed int64) {
	rnd := rand.New(rand.NewSource(seed))
	srv := lockrttest.New(t)
	w := &windows{t: t, seed: seed}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
	defer stop()
	var wg sync.WaitGroup
	for p := 0; p < 3; p++ {
		l := srv.Locker(lockrt.WithLease(10 * time.Second))
		for f := 0; f < 3; f++ {
			work := time.Duration(rnd.Intn(15000)) * time.Millisecond
			wg.Go(func() {
				for ctx.Err() == nil {
					_, _ = l.Do(ctx, jobs.Of("s"), func(ctx context.Context) error {
						w.work(ctx, work)
						return nil
					}, lockrt.Wait(time.Minute))
					time.Sleep(100 * time.Millisecond)
				}
			})
		}
	}
	for ctx.Err() == nil {
		time.Sleep(time.Duration(rnd.Intn(40000)) * time.Millisecond)
		srv.Outage(true)
		time.Sleep(time.Duration(rnd.Intn(12000)) * time.Millisecond)
		srv.Outage(false)
	}
	wg.Wait()
	if w.n < 20 {
		t.Errorf("seed %d: acquired only %d times", seed, w.n)
	}
	srv.AssertNoLeak()
}

// windows checks who believes when that they hold the lock.
type windows struct {
	t    *testing.T
	seed int64

	mu    sync.Mutex
	owner *lockrt.Lease
	fence int64
	n     int
}

func (w *windows) work(ctx context.Context, d time.Duration) {
	le, _ := lockrt.FromContext(ctx)
	w.mu.Lock()
	if w.owner != nil && w.owner.Remaining() > 0 {
		w.t.Errorf("seed %d: two owners", w.seed)
	}
	if le.Fence() <= w.fence {
		w.t.Errorf("seed %d: fence %d after %d", w.seed, le.Fence(), w.fence)
	}
	w.owner, w.fence = le, le.Fence()
	w.n++
	w.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A subscription on which nothing comes any more is made again, with a waiter there all the time.
func TestVirtualSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := lockrttest.New(t)
		events := map[string]int{}
		var mu sync.Mutex
		obs := lockrt.ObserverFunc(func(e lockrt.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Kind == lockrt.EventSubscription {
				events[e.Label]++
			}
		})
		l, other := srv.Locker(), srv.Locker(lockrt.WithObserver(obs))
		held, err := l.Acquire(context.Background(), jobs.Of("silent"))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := other.Do(context.Background(), jobs.Of("silent"), nothing, lockrt.WaitForContext())
			done <- err
		}()
		time.Sleep(5 * time.Minute) // answers to pings keep it
		if events["subscribed"] != 1 || events["lost"] != 0 {
			t.Errorf("a quiet subscription: %v", events)
		}
		lockrttest.Mute(srv, true)
		time.Sleep(2 * time.Minute)
		lockrttest.Mute(srv, false)
		time.Sleep(2 * time.Minute)
		if events["subscribed"] < 2 || events["lost"] < 1 {
			t.Errorf("a silent subscription: %v", events)
		}
		if err := held.Release(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
