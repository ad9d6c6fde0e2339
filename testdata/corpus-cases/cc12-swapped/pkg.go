// EXPECT-NONE

// Package swapped keeps the state of a rate limiter: a first value, and then one value for another. That is no lock.
package swapped

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

var swap = redis.NewScript(`
local v = redis.call("GET", KEYS[1])
if v == false then return redis.error_reply("no such key") end
if v ~= ARGV[1] then return 0 end
redis.call("SETEX", KEYS[1], ARGV[3], ARGV[2])
return 1`)

// State is the store of the limiter.
type State struct {
	rdb  *redis.Client
	base string
}

// Begin sets the first value; losing the TTL costs nothing.
func (s *State) Begin(ctx context.Context, who string, value int64, keep time.Duration) (bool, error) {
	key := s.base + who
	fresh, err := s.rdb.SetNX(ctx, key, value, 0).Result()
	if err != nil {
		return false, err
	}
	return fresh, s.rdb.Expire(ctx, key, keep).Err()
}

// Swap sets the next one.
func (s *State) Swap(ctx context.Context, who string, old, next int64, keep time.Duration) (bool, error) {
	return swap.Run(ctx, s.rdb, []string{s.base + who}, old, next, int(keep.Seconds())).Bool()
}
