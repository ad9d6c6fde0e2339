package main

import (
	"context"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// uncontended is what one acquire and release costs when nobody else wants the lock.
type uncontended struct {
	Ratio, P10, P90 float64 // of the floor, turn about in the same run
	Floor, P50      time.Duration
	Commands        float64
	Allocs, Bytes   float64
}

func measureUncontended(i impl, addr string, rounds int) (u uncontended, err error) {
	floor, err := openFloor(addr)
	if err != nil {
		return u, err
	}
	defer floor.close()
	l, err := i.open(addr)
	if err != nil {
		return u, err
	}
	defer l.close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var a, b []time.Duration
	for n := 0; n < rounds+100; n++ {
		x, err := timed(ctx, floor, impls[0].key())
		if err != nil {
			return u, err
		}
		y, err := timed(ctx, l, i.key())
		if err != nil {
			return u, err
		}
		if n >= 100 {
			a, b = append(a, x), append(b, y)
		}
	}
	at := func(q float64) float64 { return float64(quantile(b, q)) / float64(quantile(a, q)) }
	u = uncontended{Ratio: at(.5), P10: at(.1), P90: at(.9), Floor: quantile(a, .5), P50: quantile(b, .5)}
	u.Allocs, u.Bytes, err = allocations(ctx, l, i.key())
	if err != nil {
		return u, err
	}
	u.Commands, err = countUncontended(ctx, i, addr)
	return u, err
}

func timed(ctx context.Context, l locker, key string) (time.Duration, error) {
	start := time.Now()
	unlock, err := l.lock(ctx, key)
	if err != nil {
		return 0, err
	}
	err = unlock()
	return time.Since(start), err
}

func allocations(ctx context.Context, l locker, key string) (objects, bytes float64, err error) {
	const rounds = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		if _, err := timed(ctx, l, key); err != nil {
			return 0, 0, err
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / rounds, float64(after.TotalAlloc-before.TotalAlloc) / rounds, nil
}

func countUncontended(ctx context.Context, i impl, addr string) (float64, error) {
	c, err := newCounter(addr)
	if err != nil {
		return 0, err
	}
	defer c.close()
	l, err := i.open(c.addr())
	if err != nil {
		return 0, err
	}
	defer l.close()
	const rounds = 500
	for range 10 {
		if _, err := timed(ctx, l, "bench:count"); err != nil {
			return 0, err
		}
	}
	before := c.commands.Load()
	for range rounds {
		if _, err := timed(ctx, l, "bench:count"); err != nil {
			return 0, err
		}
	}
	return float64(c.commands.Load()-before) / rounds, nil
}

func quantile(d []time.Duration, q float64) time.Duration {
	s := append([]time.Duration(nil), d...)
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
	return s[int(q*float64(len(s)-1))]
}

// contended is 64 goroutines that take one lock for a millisecond each.
type contended struct {
	PerSecond, Commands, Jain float64
	Starved                   int
	Longest                   time.Duration
	Errors, TwoOwners         int64
}

func measureContended(i impl, addr string, clients int, d time.Duration) (r contended, err error) {
	const goroutines = 64
	c, err := newCounter(addr)
	if err != nil {
		return r, err
	}
	defer c.close()
	ls, err := open(i, c.addr(), clients)
	if err != nil {
		return r, err
	}
	defer closeAll(ls)
	var inside, errs, two atomic.Int64
	got, longest := make([]int64, goroutines), make([]time.Duration, goroutines)
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for ctx.Err() == nil {
				start := time.Now()
				unlock, err := ls[g%clients].lock(ctx, "bench:contended")
				longest[g] = max(longest[g], time.Since(start))
				if err != nil {
					continue
				}
				if inside.Add(1) != 1 {
					two.Add(1)
				}
				time.Sleep(time.Millisecond)
				inside.Add(-1)
				got[g]++
				if unlock() != nil {
					errs.Add(1)
				}
			}
		})
	}
	start := time.Now()
	wg.Wait()
	total, squares := 0.0, 0.0
	for g, n := range got {
		total += float64(n)
		squares += float64(n) * float64(n)
		r.Longest = max(r.Longest, longest[g])
		if n == 0 {
			r.Starved++
		}
	}
	r.PerSecond = total / time.Since(start).Seconds()
	r.Commands = float64(c.commands.Load()) / max(total, 1)
	r.Jain = total * total / max(goroutines*squares, 1)
	r.Errors, r.TwoOwners = errs.Load(), two.Load()
	return r, nil
}

// idle is 200 flows in 8 clients that wait for a lock which is held.
type idle struct {
	PerSecond float64
	Drained   time.Duration
	Commands  int64
}

func measureIdle(i impl, addr string, d time.Duration) (r idle, err error) {
	const clients, waiters = 8, 200
	c, err := newCounter(addr)
	if err != nil {
		return r, err
	}
	defer c.close()
	ls, err := open(i, c.addr(), clients+1)
	if err != nil {
		return r, err
	}
	defer closeAll(ls)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	unlock, err := ls[clients].lock(ctx, "bench:idle")
	if err != nil {
		return r, err
	}
	var wg sync.WaitGroup
	for w := range waiters {
		wg.Go(func() {
			if unlock, err := ls[w%clients].lock(ctx, "bench:idle"); err == nil {
				_ = unlock()
			}
		})
	}
	time.Sleep(2 * time.Second)
	before, start := c.commands.Load(), time.Now()
	time.Sleep(d)
	r.PerSecond = float64(c.commands.Load()-before) / time.Since(start).Seconds()
	before, start = c.commands.Load(), time.Now()
	if err := unlock(); err != nil {
		return r, err
	}
	wg.Wait()
	r.Drained, r.Commands = time.Since(start), c.commands.Load()-before
	if ctx.Err() != nil {
		return r, fmt.Errorf("%s did not drain: %w", i.name, ctx.Err())
	}
	return r, nil
}

func open(i impl, addr string, n int) ([]locker, error) {
	var ls []locker
	for range n {
		l, err := i.open(addr)
		if err != nil {
			closeAll(ls)
			return nil, err
		}
		ls = append(ls, l)
	}
	return ls, nil
}

func closeAll(ls []locker) {
	for _, l := range ls {
		l.close()
	}
}
