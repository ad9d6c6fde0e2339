package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// The server's clock is ten minutes off. Nothing depends on it: locks exclude, hand-overs are fair, leases last as long as
// they should. A lock whose TTL is made of the client's clock does not exclude anybody then.
func TestServerClockIsOff(t *testing.T) {
	lib := filepath.Join(t.TempDir(), "clock.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, "testdata/clock.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("this test needs a C compiler (apt-get install gcc libc6-dev): %v: %s", err, out)
	}
	for name, skew := range map[string]string{"Ahead": "600", "Behind": "-600"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("LD_PRELOAD", lib)
			t.Setenv("SKEW", skew)
			s := redistest.Start(t)
			t.Setenv("LD_PRELOAD", "")
			rdb := redis.NewClient(&redis.Options{Addr: s.Addr})
			defer rdb.Close()
			skewedContest(t, rdb)
		})
	}
}

func skewedContest(t *testing.T, rdb *redis.Client) {
	off := time.Until(rdb.Time(context.Background()).Val()).Abs()
	if off < 9*time.Minute {
		t.Fatalf("the server's clock is off by %v only", off)
	}
	const lockers = 4
	var inside, two atomic.Int32
	var got [lockers]int
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for i := range lockers {
		l, err := lockrt.New(rdb, lockrt.WithLease(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer func() { _ = l.Close(context.Background()) }()
			for ctx.Err() == nil {
				_, _ = l.Do(ctx, faultLock.Of("skew"), func(context.Context) error {
					if inside.Add(1) > 1 {
						two.Add(1)
					}
					time.Sleep(2 * time.Millisecond)
					inside.Add(-1)
					got[i]++
					return nil
				}, lockrt.WaitForContext())
			}
		})
	}
	wg.Wait()
	if two.Load() > 0 {
		t.Errorf("two owners, %d times", two.Load())
	}
	for i, n := range got {
		if n < 20 || n < got[0]/2 {
			t.Errorf("locker %d got it %d times: %v", i, n, got)
		}
	}
	l, err := lockrt.New(rdb, lockrt.WithLease(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close(context.Background()) }()
	if _, err := l.Do(context.Background(), faultLock.Of("skew"), func(ctx context.Context) error {
		time.Sleep(2500 * time.Millisecond)
		return context.Cause(ctx)
	}); err != nil {
		t.Errorf("a lease that is renewed: %v", err)
	}
}
