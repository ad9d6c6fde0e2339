// Package longwords cleans the pools of a spa.
package longwords

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrPool = errors.New("pool is being cleaned")

var (
	acquire = redis.NewScript(`return redis.call("SET", KEYS[1], ARGV[1], "NX", "EX", ARGV[2])`)
	release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

type Spa struct {
	rdb   *redis.Client
	clean func(ctx context.Context, pool int) error
}

func poolKey(pool int) string { return fmt.Sprintf("spa:pool:%d", pool) }

func saunaKey(pool int) string { return fmt.Sprintf("spa:sauna:%d", pool) }

func steamKey(pool int) string { return fmt.Sprintf("spa:steam:%d", pool) }

func (s *Spa) free(ctx context.Context, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return release.Run(end, s.rdb, []string{key}, own).Err()
}

// Pool gives the TTL in seconds.
func (s *Spa) Pool(ctx context.Context, pool int) (err error) {
	own := uuid.NewString()
	err = s.rdb.Do(ctx, "SET", poolKey(pool), own, "EX", 3600, "NX").Err() // EXPECT: long-ttl
	switch {
	case errors.Is(err, redis.Nil):
		return ErrPool
	case err != nil:
		return fmt.Errorf("pool %d: %w", pool, err)
	}
	defer func() { err = errors.Join(err, s.free(ctx, poolKey(pool), own)) }()
	return s.clean(ctx, pool)
}

// Sauna gives it to a script.
func (s *Spa) Sauna(ctx context.Context, pool int) (err error) {
	own := uuid.NewString()
	err = acquire.Run(ctx, s.rdb, []string{saunaKey(pool)}, own, 900).Err() // EXPECT: long-ttl
	switch {
	case errors.Is(err, redis.Nil):
		return ErrPool
	case err != nil:
		return fmt.Errorf("sauna %d: %w", pool, err)
	}
	defer func() { err = errors.Join(err, s.free(ctx, saunaKey(pool), own)) }()
	return s.clean(ctx, pool)
}

// Steam gives it inline.
func (s *Spa) Steam(ctx context.Context, pool int) (err error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, steamKey(pool), own, 10*time.Minute).Result() // EXPECT: long-ttl
	if err != nil {
		return fmt.Errorf("steam %d: %w", pool, err)
	}
	if !ok {
		return ErrPool
	}
	defer func() { err = errors.Join(err, s.free(ctx, steamKey(pool), own)) }()
	return s.clean(ctx, pool)
}
