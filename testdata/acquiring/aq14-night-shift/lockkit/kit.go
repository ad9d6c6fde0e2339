// Package lockkit has two lockers: one that tells, and one that does not.
package lockkit

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

var (
	ErrLocked  = errors.New("locked")
	ErrBackend = errors.New("backend")
)

type Lock interface {
	Unlock(ctx context.Context) error
}

type Locker interface {
	TryLock(ctx context.Context, key string, ttl time.Duration) (Lock, error)
}

type handle struct {
	rdb        redis.UniversalClient
	key, token string
}

func (h *handle) Unlock(ctx context.Context) error {
	return giveBack.Run(context.WithoutCancel(ctx), h.rdb, []string{h.key}, h.token).Err()
}

type Redis struct{ rdb redis.UniversalClient }

func New(rdb redis.UniversalClient) Locker { return &Redis{rdb} }

func (r *Redis) TryLock(ctx context.Context, key string, ttl time.Duration) (Lock, error) {
	h := &handle{rdb: r.rdb, key: "kit:" + key, token: uuid.NewString()}
	ok, err := r.rdb.SetNX(ctx, h.key, h.token, ttl).Result()
	if err != nil {
		return nil, errors.Join(ErrBackend, err)
	}
	if !ok {
		return nil, ErrLocked
	}
	return h, nil
}

type Locker2 struct{ rdb redis.UniversalClient }

// Acquire says no for both.
func (r *Locker2) Acquire(ctx context.Context, key, token string, ttl time.Duration) bool {
	ok, err := r.rdb.SetNX(ctx, key, token, ttl).Result()
	if err != nil {
		return false // EXPECT: error-conflated
	}
	return ok
}

func (r *Locker2) Release(ctx context.Context, key, token string) error {
	return giveBack.Run(context.WithoutCancel(ctx), r.rdb, []string{key}, token).Err()
}

// Wait asks at every tick.
func (r *Locker2) Wait(ctx context.Context, key, token string, ttl, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for { // EXPECT: polling-wait
		ok, err := r.rdb.SetNX(ctx, key, token, ttl).Result()
		if err != nil {
			return err
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
}
