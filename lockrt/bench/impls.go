package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
	zredis "github.com/zeromicro/go-zero/core/stores/redis"

	"github.com/leasevet/leasevet/lockrt"
)

// locker is one client of a lock library, as a process has it.
type locker interface {
	// lock waits until the lock is held or ctx ends.
	lock(ctx context.Context, key string) (unlock func() error, err error)
	close()
}

// impl is a library with the settings that it is measured with.
type impl struct {
	name, note string
	open       func(addr string) (locker, error)
}

// key is the lock that only this library takes.
func (i impl) key() string { return "bench:" + i.name }

// impls are measured in this order; the first one is what the others are compared with.
var impls = []impl{
	{"floor", "SET NX PX and compare-and-delete, polling every 10 ms: right as long as nothing goes wrong", openFloor},
	{"lockrt", "defaults", openLockrt},
	{"bsm/redislock", "LinearBackoff(10 ms)", openBsm},
	{"redsync", "defaults, expiry 30 s, tries until the context ends", openRedsync},
	{"go-zero", "RedisLock has no wait: polling every 10 ms. Failed releases are its own circuit breaker, which opens on a healthy server; the key then stays for its TTL", openZero},
	{"rueidislock", "defaults but KeyMajority 1, NoLoopTracking, validity 30 s, TryNextAfter 1 s", openRueidis},
}

const lease = 30 * time.Second

// floorLock is the cheapest lock with an owner value and a TTL.
type floorLock struct{ rdb *redis.Client }

var compareAndDelete = redis.NewScript(
	`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)

func openFloor(addr string) (locker, error) {
	return floorLock{redis.NewClient(&redis.Options{Addr: addr, PoolSize: 64})}, nil
}

func (f floorLock) lock(ctx context.Context, key string) (func() error, error) {
	owner := rand.Text()
	for {
		ok, err := f.rdb.SetNX(ctx, key, owner, lease).Result()
		switch {
		case err != nil:
			return nil, err
		case ok:
			return func() error { return compareAndDelete.Run(context.Background(), f.rdb, []string{key}, owner).Err() }, nil
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func (f floorLock) close() { _ = f.rdb.Close() }

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

type ours struct {
	rdb *redis.Client
	l   *lockrt.Locker
}

var prefix = lockrt.MustPrefix("bench")

func openLockrt(addr string) (locker, error) {
	rdb := redis.NewClient(&redis.Options{Addr: addr, PoolSize: 64})
	l, err := lockrt.New(rdb)
	return ours{rdb, l}, err
}

func (o ours) lock(ctx context.Context, key string) (func() error, error) {
	le, err := o.l.Acquire(ctx, prefix.Legacy(key), lockrt.WaitForContext())
	if err != nil {
		return nil, err
	}
	return func() error { return le.Release(ctx) }, nil
}

func (o ours) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = o.l.Close(ctx)
	_ = o.rdb.Close()
}

type bsm struct {
	rdb *redis.Client
	c   *redislock.Client
}

func openBsm(addr string) (locker, error) {
	rdb := redis.NewClient(&redis.Options{Addr: addr, PoolSize: 64})
	return bsm{rdb, redislock.New(rdb)}, nil
}

func (b bsm) lock(ctx context.Context, key string) (func() error, error) {
	l, err := b.c.Obtain(ctx, key, lease, &redislock.Options{RetryStrategy: redislock.LinearBackoff(10 * time.Millisecond)})
	if err != nil {
		return nil, err
	}
	return func() error { return l.Release(context.Background()) }, nil
}

func (b bsm) close() { _ = b.rdb.Close() }

type rsync struct {
	rdb *redis.Client
	rs  *redsync.Redsync
}

func openRedsync(addr string) (locker, error) {
	rdb := redis.NewClient(&redis.Options{Addr: addr, PoolSize: 64})
	return rsync{rdb, redsync.New(goredis.NewPool(rdb))}, nil
}

func (r rsync) lock(ctx context.Context, key string) (func() error, error) {
	m := r.rs.NewMutex(key, redsync.WithExpiry(lease), redsync.WithTries(1<<20))
	if err := m.LockContext(ctx); err != nil {
		return nil, err
	}
	return func() error {
		ok, err := m.Unlock()
		if err == nil && !ok {
			err = errors.New("not released")
		}
		return err
	}, nil
}

func (r rsync) close() { _ = r.rdb.Close() }

type zero struct{ r *zredis.Redis }

func openZero(addr string) (locker, error) {
	r, err := zredis.NewRedis(zredis.RedisConf{Host: addr, Type: zredis.NodeType})
	return zero{r}, err
}

func (z zero) lock(ctx context.Context, key string) (func() error, error) {
	l := zredis.NewRedisLock(z.r, key)
	l.SetExpire(int(lease / time.Second))
	for {
		ok, err := l.AcquireCtx(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && ok {
			return func() error {
				ok, err := l.Release()
				if err == nil && !ok {
					err = errors.New("not released")
				}
				return err
			}, nil
		}
		// Its circuit breaker makes errors on a healthy server; a user would try again.
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func (zero) close() {}

type rue struct{ l rueidislock.Locker }

func openRueidis(addr string) (locker, error) {
	l, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption:   rueidis.ClientOption{InitAddress: []string{addr}},
		KeyMajority:    1,
		NoLoopTracking: true,
		KeyValidity:    lease,
		TryNextAfter:   time.Second,
	})
	if err != nil {
		return nil, fmt.Errorf("rueidislock: %w", err)
	}
	return rue{l}, nil
}

func (r rue) lock(ctx context.Context, key string) (func() error, error) {
	_, cancel, err := r.l.WithContext(ctx, key)
	if err != nil {
		return nil, err
	}
	return func() error { cancel(); return nil }, nil
}

func (r rue) close() { r.l.Close() }
