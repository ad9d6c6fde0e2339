package lockrt_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/leasevet/leasevet/lockrt"
)

func TestWatchdogKeepsTheLease(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(600*time.Millisecond))
	le := s.acquire(s.l)
	for end := time.Now().Add(1800 * time.Millisecond); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ttl := s.rdb.PTTL(context.Background(), s.key.String()).Val(); ttl < 200*time.Millisecond {
			t.Fatalf("TTL fell to %v", ttl)
		}
		if err := le.Context().Err(); err != nil {
			t.Fatal(context.Cause(le.Context()))
		}
	}
	if n := s.events.count(lockrt.EventRenewLag); n < 6 || n > 14 {
		t.Errorf("%d renewals in three leases", n)
	}
	if err := le.Release(context.Background()); err != nil {
		t.Error(err)
	}
	renewals := s.events.count(lockrt.EventRenewLag)
	time.Sleep(700 * time.Millisecond)
	if n := s.events.count(lockrt.EventRenewLag); n != renewals {
		t.Error("renewed after the release")
	}
}

func TestRenewInBatches(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(2*time.Second))
	ctx := context.Background()
	const n = 500
	leases := make([]*lockrt.Lease, n)
	var wg sync.WaitGroup
	for i := range leases {
		i := i
		wg.Add(1)
		go func() {
			defer wg.Done()
			le, err := s.l.Acquire(ctx, orders.Of("batch"+string(rune('a'+i%26))+time.Duration(i).String()))
			if err != nil {
				t.Error(err)
				return
			}
			leases[i] = le
		}()
	}
	wg.Wait()
	time.Sleep(4500 * time.Millisecond)
	for _, le := range leases {
		if le == nil {
			continue
		}
		if err := le.Context().Err(); err != nil {
			t.Fatal(context.Cause(le.Context()))
		}
		if err := le.Release(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// An owner survives an outage of six tenths of its lease, whenever it begins.
func TestLeaseSurvivesAnOutage(t *testing.T) {
	for _, after := range []time.Duration{100, 350, 600, 900} {
		after := after * time.Millisecond
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			const lease = 2 * time.Second
			s := newScene(t, lockrt.WithLease(lease))
			le := s.acquire(s.l)
			time.Sleep(after)
			s.server.Stop()
			time.Sleep(lease * 55 / 100)
			s.server.Continue()
			time.Sleep(lease / 2)
			if err := le.Release(context.Background()); err != nil {
				t.Errorf("%v; %v", err, context.Cause(le.Context()))
			}
		})
	}
}

// The context ends before the lease can, however Redis fails.
func TestContextEndsInTime(t *testing.T) {
	const lease = time.Second
	for name, fail := range map[string]func(s *scene){
		"Frozen": func(s *scene) { s.server.Stop() },
		"Killed": func(s *scene) { s.server.Kill() },
	} {
		fail := fail
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, lockrt.WithLease(lease))
			le := s.acquire(s.l)
			fail(s)
			start := time.Now()
			<-le.Context().Done()
			if took := time.Since(start); took > lease || took < lease/2 {
				t.Errorf("ended after %v", took)
			}
			wantIs(t, context.Cause(le.Context()), lockrt.ErrLeaseLost)
			if le.Remaining() != 0 {
				t.Errorf("remaining %v", le.Remaining())
			}
			wantIs(t, le.Release(context.Background()), lockrt.ErrUnavailable)
			if s.events.count(lockrt.EventRenewFailure, "passing") == 0 || s.events.count(lockrt.EventRenewFailure, "final") != 1 {
				t.Errorf("events: %+v", s.events.all)
			}
		})
	}
}

func TestReleaseFromManyGoroutines(t *testing.T) {
	s := newScene(t)
	le := s.acquire(s.l)
	before := s.commands()
	var wg sync.WaitGroup
	for i := 0; i < 64; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := le.Release(context.Background()); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if n := s.commands() - before; n > 2 {
		t.Errorf("%d commands", n)
	}
	if le.Remaining() != 0 || !errors.Is(le.Context().Err(), context.Canceled) {
		t.Errorf("remaining %v, %v", le.Remaining(), le.Context().Err())
	}
}

// A release must win against a renewal that is planned or under way: nothing may renew the key afterwards.
func TestAcquireReleaseLeavesNothing(t *testing.T) {
	const lease = 300 * time.Millisecond
	s := newScene(t, lockrt.WithLease(lease))
	ctx := context.Background()
	var wg sync.WaitGroup
	keys := make([]string, 8)
	for g := range keys {
		key := orders.Of("g", string(rune('a'+g)))
		keys[g] = key.String()
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n, end := 0, time.Now().Add(time.Second); time.Now().Before(end); n++ {
				le, err := s.l.Acquire(ctx, key, lockrt.Wait(time.Second))
				if err != nil {
					t.Error(err)
					return
				}
				if n%50 == 0 {
					time.Sleep(lease/3 - lease/60 + time.Duration(n%7)*time.Millisecond) // about when it is renewed
				}
				// On a machine that stands still for a while the lease may be over; that is not what this is about.
				if err := le.Release(ctx); err != nil && !errors.Is(err, lockrt.ErrExpired) {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	time.Sleep(lease + 50*time.Millisecond)
	if n := s.rdb.Exists(ctx, keys...).Val(); n != 0 {
		t.Errorf("%d keys were left", n)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(time.Second))
	ctx := context.Background()
	l, err := lockrt.New(s.rdb, lockrt.WithLease(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	le := s.acquire(l)
	waiting := make(chan error, 1)
	go func() {
		_, err := l.Do(ctx, s.key, nothing, lockrt.WaitForContext())
		waiting <- err
	}()
	time.Sleep(100 * time.Millisecond)
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	wantIs(t, l.Close(short), context.DeadlineExceeded)
	wantIs(t, <-waiting, lockrt.ErrClosed)
	_, err = l.Acquire(ctx, s.key)
	wantIs(t, err, lockrt.ErrClosed)
	if _, err := l.Check(ctx); !errors.Is(err, lockrt.ErrClosed) {
		t.Errorf("Check: %v", err)
	}
	if s.get() == "" {
		t.Error("Close deleted the key of a function that runs")
	}
	<-le.Context().Done()
	wantIs(t, context.Cause(le.Context()), lockrt.ErrLeaseLost)
	_ = le.Release(ctx)
	if err := l.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := s.rdb.Ping(ctx).Err(); err != nil {
		t.Errorf("the caller's client was closed: %v", err)
	}
}

func TestCancelInFlight(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx, cancel := context.WithCancel(context.Background())
	s.server.Stop()
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	_, err := s.l.Acquire(ctx, s.key)
	wantIs(t, err, context.Canceled, lockrt.ErrUnavailable)
	if took := time.Since(start); took > 250*time.Millisecond {
		t.Errorf("a cancelled acquisition took %v", took)
	}
	short, cancel2 := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel2()
	start = time.Now()
	_, err = s.l.Acquire(short, s.key, lockrt.WaitForContext())
	wantIs(t, err, context.DeadlineExceeded, lockrt.ErrUnavailable)
	if took := time.Since(start); took > 300*time.Millisecond {
		t.Errorf("a deadline of 200ms took %v", took)
	}
	s.server.Continue()
	// What the server then does with the requests that it had received is made up for.
	time.Sleep(1500 * time.Millisecond)
	within(t, 5*time.Second, "the key is gone", func() bool { return s.get() == "" })
	if s.events.count(lockrt.EventCompensation, "queued") == 0 {
		t.Error("nothing was made up for")
	}
}
