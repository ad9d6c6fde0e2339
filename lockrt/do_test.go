package lockrt_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
)

func nothing(context.Context) error { return nil }

func TestDo(t *testing.T) {
	s := newScene(t)
	ctx := context.Background()
	v, out, err := lockrt.DoValue(ctx, s.l, s.key, func(ctx context.Context) (int, error) {
		le, ok := lockrt.FromContext(ctx)
		if !ok || le.Fence() == 0 || le.Remaining() < 25*time.Second || s.get() == "" {
			t.Errorf("lease %v %v", le, ok)
		}
		return 42, nil
	})
	if v != 42 || err != nil || out.Mode != lockrt.Locked || out.Fence == 0 || out.Held <= 0 || out.ReleaseErr != nil {
		t.Errorf("%v %+v %v", v, out, err)
	}
	if s.get() != "" {
		t.Error("not released")
	}
	boom := errors.New("boom")
	if _, err := s.l.Do(ctx, s.key, func(context.Context) error { return boom }); err != boom {
		t.Errorf("a business error came back as %v", err)
	}
	if _, ok := lockrt.FromContext(ctx); ok {
		t.Error("a lease from nowhere")
	}
	if s.events.count(lockrt.EventAcquire, "acquired") != 2 || s.events.count(lockrt.EventHold, "released") != 2 {
		t.Errorf("events: %+v", s.events.all)
	}
}

func TestDoReleasesWhateverHappens(t *testing.T) {
	s := newScene(t)
	ctx := context.Background()
	func() {
		defer func() { _ = recover() }()
		_, _ = s.l.Do(ctx, s.key, func(context.Context) error { panic("x") })
	}()
	if s.get() != "" {
		t.Error("not released after a panic")
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_, _ = s.l.Do(ctx, s.key, func(context.Context) error { runtime.Goexit(); return nil })
	}()
	wg.Wait()
	if s.get() != "" {
		t.Error("not released after Goexit")
	}
	for i := 0; i < 200; i++ {
		ctx, cancel := context.WithCancel(ctx)
		out, err := s.l.Do(ctx, s.key, func(context.Context) error { cancel(); return nil })
		if err != nil || out.ReleaseErr != nil || s.get() != "" {
			t.Fatalf("after the caller's context ended: %v %+v %q", err, out, s.get())
		}
	}
}

func TestContentionPolicy(t *testing.T) {
	s := newScene(t)
	ctx := context.Background()
	held := s.acquire(s.l)
	other := s.locker()
	out, err := other.Do(ctx, s.key, nothing)
	wantIs(t, err, lockrt.ErrNotAcquired)
	if out.Mode != lockrt.NotRun {
		t.Errorf("mode %v", out.Mode)
	}
	out, err = other.Do(ctx, s.key, nothing, lockrt.OnContention(lockrt.Skip), lockrt.OnOutage(lockrt.Proceed))
	if err != nil || out.Mode != lockrt.Skipped {
		t.Errorf("%v %v", out.Mode, err)
	}
	start := time.Now()
	out, err = other.Do(ctx, s.key, nothing, lockrt.OnContention(lockrt.Skip), lockrt.Wait(300*time.Millisecond))
	if took := time.Since(start); err != nil || out.Mode != lockrt.Skipped || took < 300*time.Millisecond || took > time.Second {
		t.Errorf("%v %v after %v", out.Mode, err, took)
	}
	if n := s.events.count(lockrt.EventAcquireTimeout); n != 1 {
		t.Errorf("%d timeouts", n)
	}
	// Skip never hides that the caller's context ended.
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	out, err = other.Do(short, s.key, nothing, lockrt.OnContention(lockrt.Skip), lockrt.WaitForContext())
	wantIs(t, err, lockrt.ErrNotAcquired, context.DeadlineExceeded)
	if out.Mode != lockrt.NotRun {
		t.Errorf("mode %v", out.Mode)
	}
	// A cause is found too.
	why := errors.New("why")
	caused, stop := context.WithCancelCause(ctx)
	time.AfterFunc(50*time.Millisecond, func() { stop(why) })
	start = time.Now()
	_, err = other.Do(caused, s.key, nothing, lockrt.WaitForContext())
	wantIs(t, err, lockrt.ErrNotAcquired, context.Canceled, why)
	if took := time.Since(start); took > 200*time.Millisecond {
		t.Errorf("a cancelled wait took %v", took)
	}
	stopped, stop2 := context.WithCancel(ctx)
	stop2()
	_, err = other.Do(stopped, s.key, nothing, lockrt.OnOutage(lockrt.Proceed))
	wantIs(t, err, context.Canceled)
	if errors.Is(err, lockrt.ErrNotAcquired) || errors.Is(err, lockrt.ErrUnavailable) {
		t.Errorf("nothing was tried, but the error says %v", err)
	}
	_ = held.Release(ctx)
}

func TestOutagePolicy(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx := context.Background()
	s.server.Kill()
	start := time.Now()
	out, err := s.l.Do(ctx, s.key, nothing, lockrt.OnContention(lockrt.Skip))
	wantIs(t, err, lockrt.ErrUnavailable)
	if out.Mode != lockrt.NotRun || errors.Is(err, lockrt.ErrNotAcquired) {
		t.Errorf("%v %v", out.Mode, err)
	}
	ran := false
	out, err = s.l.Do(ctx, s.key, func(ctx context.Context) error {
		_, ran = lockrt.FromContext(ctx)
		ran = !ran
		return nil
	}, lockrt.OnOutage(lockrt.Proceed), lockrt.WaitForContext())
	if err != nil || out.Mode != lockrt.Degraded || !ran || out.Fence != 0 {
		t.Errorf("%+v %v, ran %v", out, err, ran)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	if s.events.count(lockrt.EventDegraded) != 1 {
		t.Error("a degraded run was not reported")
	}
}

func TestWaitEnduresAnOutage(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(6*time.Second))
	held := s.acquire(s.l)
	got := make(chan error, 8)
	other := s.locker(lockrt.WithLease(6 * time.Second))
	for i := 0; i < cap(got); i++ {
		go func() {
			_, err := other.Do(context.Background(), s.key, nothing, lockrt.WaitForContext())
			got <- err
		}()
	}
	within(t, 3*time.Second, "queued", func() bool {
		return s.rdb.ZCard(context.Background(), "{"+s.key.String()+"}:q").Val() == 1
	})
	s.server.Kill()
	time.Sleep(1200 * time.Millisecond)
	if err := s.server.Run(); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < cap(got); i++ {
		if err := <-got; err != nil {
			t.Errorf("a restart of Redis within a third of the lease ended a wait: %v", err)
		}
	}
	_ = held.Release(context.Background())
	// A longer outage ends all waits, not one after the other.
	held = s.acquire(s.l)
	for i := 0; i < cap(got); i++ {
		go func() {
			_, err := other.Do(context.Background(), s.key, nothing, lockrt.WaitForContext())
			got <- err
		}()
	}
	time.Sleep(300 * time.Millisecond)
	s.server.Kill()
	start := time.Now()
	time.Sleep(1700 * time.Millisecond) // the waiters have noticed
	_, err := other.Acquire(context.Background(), s.key)
	wantIs(t, err, lockrt.ErrUnavailable) // although others wait, nobody knows that it is held
	for i := 0; i < cap(got); i++ {
		wantIs(t, <-got, lockrt.ErrUnavailable)
	}
	if took := time.Since(start); took > 6*time.Second {
		t.Errorf("took %v, patience is 2s", took)
	}
	if err := held.Release(context.Background()); !errors.Is(err, lockrt.ErrUnavailable) {
		t.Errorf("release: %v", err)
	}
}

func TestLeaseLostDuringWork(t *testing.T) {
	s := newScene(t, lockrt.WithLease(500*time.Millisecond))
	ctx := context.Background()
	boom := errors.New("boom")
	steal := func(work context.Context) {
		s.rdb.Set(ctx, s.key.String(), "somebody else", time.Minute)
		select {
		case <-work.Done():
		case <-time.After(2 * time.Second):
			t.Error("not told")
		}
	}
	out, err := s.l.Do(ctx, s.key, func(work context.Context) error {
		steal(work)
		wantIs(t, context.Cause(work), lockrt.ErrLeaseLost)
		return boom
	})
	wantIs(t, err, boom, lockrt.ErrLeaseLost)
	wantIs(t, out.ReleaseErr, lockrt.ErrNotOwner)
	var detail *lockrt.LeaseLostError
	if !errors.As(err, &detail) || detail.Reason != lockrt.LostToOwner {
		t.Errorf("detail %+v", detail)
	}
	if s.get() != "somebody else" {
		t.Errorf("the next owner's value is %q", s.get())
	}
	s.rdb.Del(ctx, s.key.String())
	_, err = s.l.Do(ctx, s.key, func(work context.Context) error { steal(work); return nil })
	wantIs(t, err, lockrt.ErrLeaseLost)
	s.rdb.Del(ctx, s.key.String())
	_, err = s.l.Do(ctx, s.key, func(work context.Context) error { steal(work); return context.Cause(work) })
	wantIs(t, err, lockrt.ErrLeaseLost)
	if s.events.count(lockrt.EventLeaseLost) != 3 || s.events.count(lockrt.EventOwnerMismatch, "renew") != 3 {
		t.Errorf("events: %+v", s.events.all)
	}
}

func TestWorkSucceededAndReleaseFailed(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(3*time.Second))
	ctx := context.Background()
	out, err := s.l.Do(ctx, s.key, func(context.Context) error {
		s.server.Stop()
		return nil
	})
	if err != nil {
		t.Errorf("the work is done, but the error is %v", err)
	}
	wantIs(t, out.ReleaseErr, lockrt.ErrUnavailable)
	s.server.Continue()
	// It is made up for in the background.
	within(t, 2*time.Second, "released", func() bool { return s.get() == "" })
	out, err = s.l.Do(ctx, s.key, func(context.Context) error {
		s.rdb.Del(ctx, s.key.String())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wantIs(t, out.ReleaseErr, lockrt.ErrExpired)
}

func TestReentrant(t *testing.T) {
	s := newScene(t)
	_, err := s.l.Do(context.Background(), s.key, func(ctx context.Context) error {
		start := time.Now()
		_, err := s.l.Do(ctx, s.key, nothing, lockrt.WaitForContext())
		wantIs(t, err, lockrt.ErrReentrant)
		if took := time.Since(start); took > 50*time.Millisecond {
			t.Errorf("took %v", took)
		}
		_, err = s.l.Do(ctx, orders.Of("another"), func(ctx context.Context) error {
			_, err := s.l.Acquire(ctx, s.key)
			wantIs(t, err, lockrt.ErrReentrant)
			return nil
		})
		return err
	})
	if err != nil {
		t.Error(err)
	}
	le := s.acquire(s.l)
	_ = le.Release(context.Background())
	if le, err := s.l.Acquire(le.Context(), s.key); err == nil {
		_ = le.Release(context.Background())
		t.Error("acquired on a dead context")
	} else if errors.Is(err, lockrt.ErrReentrant) {
		t.Error("a released lease still counts")
	}
}

func TestMaxHold(t *testing.T) {
	t.Parallel()
	s := newScene(t, lockrt.WithLease(600*time.Millisecond))
	got := make(chan error, 1)
	start := time.Now()
	out, err := s.l.Do(context.Background(), s.key, func(ctx context.Context) error {
		<-ctx.Done()
		wantIs(t, context.Cause(ctx), context.DeadlineExceeded)
		go func() {
			_, err := s.locker(lockrt.WithLease(600*time.Millisecond)).Do(context.Background(), s.key, nothing, lockrt.WaitForContext())
			got <- err
		}()
		wantIs(t, <-got) // the next one gets it although this function has not returned
		return nil
	}, lockrt.MaxHold(200*time.Millisecond))
	if took := time.Since(start); took < 200*time.Millisecond || took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	wantIs(t, err, lockrt.ErrLeaseLost)
	wantIs(t, out.ReleaseErr, lockrt.ErrExpired)
}

func TestHooksAndLimitersAreNotAsked(t *testing.T) {
	s := newScene(t)
	rdb := redis.NewClient(&redis.Options{Addr: s.server.Addr, Limiter: closedBreaker{}})
	defer rdb.Close()
	rdb.AddHook(failingHook{})
	if err := rdb.Ping(context.Background()).Err(); err == nil {
		t.Fatal("the hook lets commands through")
	}
	l := newLocker(t, rdb)
	if _, err := l.Do(context.Background(), s.key, nothing); err != nil {
		t.Errorf("a breaker around the cache stopped a lock: %v", err)
	}
}

type closedBreaker struct{}

func (closedBreaker) Allow() error       { return errors.New("breaker is open") }
func (closedBreaker) ReportResult(error) {}

type failingHook struct{}

func (failingHook) DialHook(next redis.DialHook) redis.DialHook { return next }
func (failingHook) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(context.Context, redis.Cmder) error { return errors.New("breaker is open") }
}
func (failingHook) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(context.Context, []redis.Cmder) error { return errors.New("breaker is open") }
}
