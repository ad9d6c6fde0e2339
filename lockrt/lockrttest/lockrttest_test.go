package lockrttest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/lockrttest"
)

var jobs = lockrt.MustPrefix("kit:job")

func nothing(context.Context) error { return nil }

func TestServer(t *testing.T) {
	srv := lockrttest.New(t)
	l := srv.Locker(lockrt.WithLease(300 * time.Millisecond))
	ctx := context.Background()
	key := jobs.Of("1")
	if _, err := l.Do(ctx, key, func(context.Context) error {
		if !srv.Held(key) {
			t.Error("not held")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	srv.Outage(true)
	if _, err := l.Do(ctx, key, nothing); !errors.Is(err, lockrt.ErrUnavailable) {
		t.Errorf("in an outage: %v", err)
	}
	srv.Outage(false)
	_, err := l.Do(ctx, key, func(ctx context.Context) error {
		srv.LoseLease(key)
		<-ctx.Done()
		return nil
	})
	if !errors.Is(err, lockrt.ErrLeaseLost) {
		t.Errorf("a lost lease: %v", err)
	}
	free := srv.HoldForeign(key, 0)
	_, err = l.Do(ctx, key, nothing)
	var detail *lockrt.NotAcquiredError
	if !errors.As(err, &detail) || !detail.Foreign || detail.HolderTTL >= 0 {
		t.Errorf("an older lock: %v", err)
	}
	time.AfterFunc(100*time.Millisecond, free)
	if _, err := l.Do(ctx, key, nothing, lockrt.Wait(5*time.Second)); err != nil {
		t.Error(err)
	}
	if report, err := l.Check(ctx); err != nil || len(report.Problems) != 0 {
		t.Errorf("%+v %v", report, err)
	}
	srv.AssertNoLeak()
}

// recorded is a T that fails quietly.
type recorded struct {
	errs    []string
	cleanup []func()
}

func (r *recorded) Helper()                   {}
func (r *recorded) Errorf(f string, a ...any) { r.errs = append(r.errs, fmt.Sprintf(f, a...)) }
func (r *recorded) Fatalf(f string, a ...any) { r.errs = append(r.errs, fmt.Sprintf(f, a...)) }
func (r *recorded) Cleanup(f func())          { r.cleanup = append(r.cleanup, f) }
func (r *recorded) end() {
	for i := len(r.cleanup) - 1; i >= 0; i-- {
		r.cleanup[i]()
	}
}

func TestCommandsForTests(t *testing.T) {
	rdb := lockrttest.New(t).Client()
	ctx := context.Background()
	if err := rdb.Set(ctx, "k", "v", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	if ttl := rdb.PTTL(ctx, "k").Val(); ttl <= 0 || ttl > time.Minute {
		t.Errorf("TTL %v", ttl)
	}
	if ok := rdb.SetNX(ctx, "k", "w", time.Second).Val(); ok {
		t.Error("NX on a key that is there")
	}
	if err := rdb.Do(ctx, "SET", "k", "v", "XX").Err(); err == nil {
		t.Error("an option that the model does not know was ignored")
	}
	if err := rdb.Get(ctx, "none").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("no key: %v", err)
	}
	if n := rdb.Del(ctx, "k", "none").Val(); n != 1 {
		t.Errorf("%d deleted", n)
	}
	if err := rdb.LPush(ctx, "list", "x").Err(); err == nil {
		t.Error("a command that the model does not know succeeded")
	}
	if err := rdb.Eval(ctx, "return 1", nil).Err(); err == nil {
		t.Error("a script that the model does not know ran")
	}
	sub := rdb.Subscribe(ctx, "a", "b")
	defer sub.Close()
	for i := 0; i < 2; i++ {
		if _, err := sub.Receive(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := sub.Unsubscribe(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	if n := rdb.Publish(ctx, "a", "x").Val() + rdb.Publish(ctx, "b", "x").Val(); n != 1 {
		t.Errorf("%d heard it", n)
	}
}
