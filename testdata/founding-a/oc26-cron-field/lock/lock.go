// Package lock is a lock for one key.
package lock

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Lock keeps its owner between Acquire and Release.
type Lock struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	owner string
}

func New(rdb *redis.Client, key string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, key: key, ttl: ttl}
}

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Acquire tries once.
func (l *Lock) Acquire(ctx context.Context) (bool, error) {
	l.owner = uuid.NewString() // EXPECT: owner-overwritten
	return l.rdb.SetNX(ctx, l.key, l.owner, l.ttl).Result()
}

// Release gives it back.
func (l *Lock) Release(ctx context.Context) error {
	return release.Run(ctx, l.rdb, []string{l.key}, l.owner).Err() // ALSO-OK: ownerless-release
}
