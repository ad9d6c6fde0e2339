// Package red keeps the desk's locks in Redis.
package red

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	double "example.test/corpuscases/cc05-double"
)

type locks struct{ rdb *redis.Client }

// NewDesk wires the desk.
func NewDesk(rdb *redis.Client, write func(ctx context.Context, room string) error) *double.Desk {
	return double.NewDesk(&locks{rdb}, write)
}

// TryLock tries once.
func (l *locks) TryLock(ctx context.Context, key string, lease time.Duration) (bool, error) {
	return l.rdb.SetNX(ctx, key, "1", lease).Result() // EXPECT: constant-owner
}

// Unlock deletes whatever stands there.
func (l *locks) Unlock(ctx context.Context, key string) error {
	return l.rdb.Del(ctx, key).Err() // EXPECT: ownerless-release
}
