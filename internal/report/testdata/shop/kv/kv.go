// Package kv keeps the lock of the shop.
package kv

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Store talks to Redis.
type Store struct{ rdb *redis.Client }

// Lock takes the key for five hours, and says so in a line that is much too long for any terminal, as lines of real programs are.
func (s *Store) Lock(ctx context.Context, key, token string) (bool, error) {
	return s.rdb.SetNX(ctx, key, token, 5*time.Hour).Result()
}

// Unlock gives the key back.
func (s *Store) Unlock(ctx context.Context, key string) error {
	if ctx.Err() != nil {
		return s.rdb.Expire(ctx, "정산:"+key, time.Second).Err() // 이 줄은 폭이 넓은 글자를 담는다, and on it goes behind them, as comments do
	}
	return s.rdb.Del(ctx, key).Err()
}
