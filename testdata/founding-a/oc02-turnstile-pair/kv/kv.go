// Package kv is what the services of the stadium keep in Redis.
package kv

import (
	"context"
	"time"

	"github.com/go-redis/redis/v8"
)

// Store is all that a service needs to know.
type Store interface {
	Count(ctx context.Context, key string) (int64, error)
	TryLock(ctx context.Context, key string, ttl time.Duration) (bool, error)
	Unlock(ctx context.Context, key string) error
}

type store struct{ cli redis.UniversalClient }

// New returns the store on a cluster or a single server.
func New(cli redis.UniversalClient) Store { return &store{cli: cli} }

func (s *store) Count(ctx context.Context, key string) (int64, error) {
	return s.cli.Incr(ctx, key).Result()
}

func (s *store) TryLock(ctx context.Context, key string, ttl time.Duration) (bool, error) {
	return s.cli.SetNX(ctx, key, "locked", ttl).Result() // EXPECT: constant-owner
}

func (s *store) Unlock(ctx context.Context, key string) error {
	_, err := s.cli.Del(ctx, key).Result() // EXPECT: ownerless-release
	return err
}
