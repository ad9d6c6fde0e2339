// Package redislocks keeps locks in Redis. It does not know who uses them.
package redislocks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Locks are locks.
type Locks struct{ rdb redis.UniversalClient }

// New returns locks.
func New(rdb redis.UniversalClient) *Locks { return &Locks{rdb: rdb} }

// TryLock takes a lock if nobody has it.
func (l *Locks) TryLock(ctx context.Context, name string, ttl time.Duration) (bool, error) {
	return l.rdb.SetNX(ctx, name, "held", ttl).Result() // EXPECT: constant-owner
}

// Unlock gives it back.
func (l *Locks) Unlock(ctx context.Context, name string) error {
	return l.rdb.Del(ctx, name).Err() // EXPECT: ownerless-release
}
