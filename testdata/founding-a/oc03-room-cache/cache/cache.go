// Package cache keeps the front desk's state in a cluster.
package cache

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"

	"example.test/foundinga/oc03-room-cache/cache/raw"
	"example.test/foundinga/oc03-room-cache/hotel"
)

type redisCache struct{ raw *raw.Client }

var _ hotel.Cache = (*redisCache)(nil)

// New returns the cache on a cluster.
func New(c *redis.ClusterClient) hotel.Cache { return &redisCache{raw: raw.New(c)} }

func stateKey(room int64) string { return fmt.Sprintf("hotel:room:%d:state", room) }

func assignKey(room int64) string { return fmt.Sprintf("hotel:room:%d:assign", room) }

func (c *redisCache) RoomState(ctx context.Context, room int64) (string, error) {
	return c.raw.Read(ctx, stateKey(room))
}

func (c *redisCache) SetRoomState(ctx context.Context, room int64, state string) error {
	return c.raw.Write(ctx, stateKey(room), state, 12*time.Hour)
}

func (c *redisCache) LockRoom(ctx context.Context, room int64, d time.Duration) (bool, error) {
	return c.raw.Claim(ctx, assignKey(room), d)
}

func (c *redisCache) UnlockRoom(ctx context.Context, room int64) error {
	return c.raw.Drop(ctx, assignKey(room))
}
