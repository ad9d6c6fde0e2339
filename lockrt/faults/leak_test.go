package main

import (
	"context"
	"math/rand"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// After 100,000 operations at random nothing is left: no goroutine, by goleak, and no key but fences, which expire.
func TestNothingIsLeft(t *testing.T) {
	already := goleak.IgnoreCurrent()
	s := redistest.Start(t)
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr})
	ctx := context.Background()
	var lockers []*lockrt.Locker
	for range 4 {
		l, err := lockrt.New(rdb, lockrt.WithLease(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		lockers = append(lockers, l)
	}
	const flows, each = 50, 2000
	var wg sync.WaitGroup
	for f := range flows {
		wg.Go(func() {
			rnd := rand.New(rand.NewSource(int64(f)))
			for range each {
				one(rnd, lockers[rnd.Intn(len(lockers))])
			}
		})
	}
	wg.Wait()
	for _, l := range lockers {
		if err := l.Close(ctx); err != nil {
			t.Error(err)
		}
	}
	for _, k := range rdb.Keys(ctx, "*").Val() {
		if !strings.HasSuffix(k, ":f") || rdb.TTL(ctx, k).Val() <= 0 {
			t.Errorf("%s was left", k)
		}
	}
	if left := rdb.PubSubChannels(ctx, "*").Val(); len(left) > 0 {
		t.Errorf("subscriptions were left: %v", left)
	}
	_ = rdb.Close()
	goleak.VerifyNone(t, already)
}

// one tries, waits a moment, or waits until its context ends, which is soon.
func one(rnd *rand.Rand, l *lockrt.Locker) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rnd.Intn(15))*time.Millisecond)
	defer cancel()
	work := func(context.Context) error { return nil }
	key := faultLock.Of("leak", strconv.Itoa(rnd.Intn(200)))
	switch rnd.Intn(3) {
	case 0:
		_, _ = l.Do(context.Background(), key, work)
	case 1:
		_, _ = l.Do(ctx, key, work, lockrt.WaitForContext())
	default:
		_, _ = l.Do(context.Background(), key, work, lockrt.Wait(time.Duration(rnd.Intn(8))*time.Millisecond))
	}
}
