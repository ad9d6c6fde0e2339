package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// goal is something that only lockrt is measured in.
type goal struct{ what, aim, got string }

func measureGoals(t redistest.TB) ([]goal, error) {
	s := redistest.Start(t)
	rdb := s.Client(t)
	var goals []goal
	for _, f := range []func(*redistest.Server, *redis.Client) (goal, error){
		renewal, cancelledRelease, frozen, crash, replicaAck(t),
	} {
		g, err := f(s, rdb)
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}

// renewal holds 10,000 locks and adds up what the renewals of one round take.
func renewal(_ *redistest.Server, rdb *redis.Client) (goal, error) {
	const n = 10_000
	ctx := context.Background()
	l, err := lockrt.New(rdb, lockrt.WithLease(30*time.Second))
	if err != nil {
		return goal{}, err
	}
	leases := make([]*lockrt.Lease, n)
	for i := range leases {
		if leases[i], err = l.Acquire(ctx, prefix.Legacy(fmt.Sprint("bench:renew:", i))); err != nil {
			return goal{}, err
		}
	}
	if err := rdb.ConfigResetStat(ctx).Err(); err != nil {
		return goal{}, err
	}
	time.Sleep(11 * time.Second)
	info, err := rdb.InfoMap(ctx, "commandstats").Result()
	if err != nil {
		return goal{}, err
	}
	for _, le := range leases {
		if err := le.Release(ctx); err != nil {
			return goal{}, err
		}
	}
	err = l.Close(ctx)
	return goal{"10,000 leases held for a round of renewals: the server's counters of EVAL", "one per lease", info["Commandstats"]["cmdstat_eval"]}, err
}

// cancelledRelease cancels the caller's context while the lock is held.
func cancelledRelease(_ *redistest.Server, rdb *redis.Client) (goal, error) {
	l, err := lockrt.New(rdb)
	if err != nil {
		return goal{}, err
	}
	gone := 0
	for range 1000 {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := l.Do(ctx, prefix.Legacy("bench:cancel"), func(context.Context) error { cancel(); return nil })
		cancel()
		if err == nil && rdb.Exists(context.Background(), "bench:cancel").Val() == 0 {
			gone++
		}
	}
	return goal{"the caller's context ends while the lock is held: key gone when Do returns", "1000 of 1000", fmt.Sprintf("%d of 1000", gone)}, l.Close(context.Background())
}

// frozen asks a Redis that does not answer.
func frozen(s *redistest.Server, rdb *redis.Client) (goal, error) {
	l, err := lockrt.New(rdb)
	if err != nil {
		return goal{}, err
	}
	s.Stop()
	var worst time.Duration
	for range 5 {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		start := time.Now()
		_, err := l.Acquire(ctx, prefix.Legacy("bench:frozen"))
		worst = max(worst, time.Since(start))
		cancel()
		if !errors.Is(err, lockrt.ErrUnavailable) {
			return goal{}, fmt.Errorf("frozen: %w", err)
		}
	}
	s.Continue()
	return goal{"Redis frozen, the context has 200 ms: longest of 5 acquisitions", "250 ms", ms(worst)}, l.Close(context.Background())
}

// crash lets the holder vanish without a release.
func crash(_ *redistest.Server, rdb *redis.Client) (goal, error) {
	const lease = time.Second
	ctx := context.Background()
	l, err := lockrt.New(rdb, lockrt.WithLease(lease))
	if err != nil {
		return goal{}, err
	}
	var worst time.Duration
	for range 20 {
		// A key with a lockrt owner value that nobody renews.
		if err := rdb.Set(ctx, "bench:crash", "lockrt1.nobody", lease).Err(); err != nil {
			return goal{}, err
		}
		start := time.Now()
		le, err := l.Acquire(ctx, prefix.Legacy("bench:crash"), lockrt.Wait(5*time.Second))
		if err != nil {
			return goal{}, err
		}
		worst = max(worst, time.Since(start)-lease)
		if err := le.Release(ctx); err != nil {
			return goal{}, err
		}
	}
	return goal{"the holder is gone: longest wait of 20 beyond its lease", "100 ms", ms(worst)}, l.Close(ctx)
}

// replicaAck compares acquisitions with and without WAIT.
func replicaAck(t redistest.TB) func(*redistest.Server, *redis.Client) (goal, error) {
	return func(*redistest.Server, *redis.Client) (goal, error) {
		master := redistest.Start(t)
		redistest.StartReplica(t, master)
		rdb := master.Client(t)
		plain, err := lockrt.New(rdb)
		if err != nil {
			return goal{}, err
		}
		acked, err := lockrt.New(rdb, lockrt.WithReplicaAck(1, time.Second))
		if err != nil {
			return goal{}, err
		}
		var a, b []time.Duration
		for range 1000 {
			for _, x := range []struct {
				l   *lockrt.Locker
				out *[]time.Duration
			}{{plain, &a}, {acked, &b}} {
				start := time.Now()
				le, err := x.l.Acquire(context.Background(), prefix.Legacy("bench:ack"))
				if err != nil {
					return goal{}, err
				}
				*x.out = append(*x.out, time.Since(start))
				if err := le.Release(context.Background()); err != nil {
					return goal{}, err
				}
			}
		}
		got := fmt.Sprintf("%.2f (%v against %v)", float64(quantile(b, .5))/float64(quantile(a, .5)), quantile(b, .5).Round(time.Microsecond), quantile(a, .5).Round(time.Microsecond))
		return goal{"WithReplicaAck(1): p50 of the acquisition against a plain one", "1.6 times", got}, errors.Join(plain.Close(context.Background()), acked.Close(context.Background()))
	}
}

func ms(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
