// Package lock holds the helpers with which the services take locks in Redis, and the names of the keys.
package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrBusy says that another flow holds the key.
	ErrBusy = errors.New("lock: held by another flow")
	// ErrLost says that the key is no longer held by the flow that asks.
	ErrLost = errors.New("lock: no longer the owner")
)

// Spin is a lock that looks every 100 ms whether the key has become free.
type Spin struct {
	rdb   redis.UniversalClient
	lease time.Duration
}

// NewSpin returns a lock whose keys Redis drops after the lease.
func NewSpin(rdb redis.UniversalClient, lease time.Duration) *Spin {
	return &Spin{rdb: rdb, lease: lease}
}

// Acquire takes the key. A wait of 0 tries once, a positive one that long, a negative one until the key is free.
func (s *Spin) Acquire(ctx context.Context, key string, wait time.Duration) (bool, error) {
	deadline := time.Now().Add(wait)
	for {
		ok, err := s.rdb.SetNX(ctx, key, "locked", s.lease).Result()
		if err != nil {
			return false, fmt.Errorf("acquire %s: %w", key, err)
		}
		if ok {
			return true, nil
		}
		if wait >= 0 && !time.Now().Before(deadline) {
			return false, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Release gives the key back.
func (s *Spin) Release(ctx context.Context, key string) error {
	return s.rdb.Del(ctx, key).Err()
}

// With runs work while the key is held, and returns ErrBusy if it did not become free in time.
func (s *Spin) With(ctx context.Context, key string, wait time.Duration, work func(context.Context) error) (err error) {
	ok, err := s.Acquire(ctx, key, wait)
	if err != nil {
		return err
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer stop()
		err = errors.Join(err, s.Release(end, key))
	}()
	return work(ctx)
}
