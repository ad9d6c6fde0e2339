// Package berth locks berths.
package berth

import (
	"context"
	"errors"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBerth = errors.New("berth is taken")

// Berths locks for seconds or for durations.
type Berths interface {
	Take(ctx context.Context, key string, ttl time.Duration) (own string, err error)
	TakeSeconds(ctx context.Context, key string, seconds int64) (own string, err error)
	TakeMillis(ctx context.Context, key string, ttlMillis int64) (own string, err error)
	Leave(ctx context.Context, key, own string) error
}

type berths struct{ rdb redis.Cmdable }

func New(rdb redis.Cmdable) Berths { return berths{rdb} }

func (b berths) Take(ctx context.Context, key string, ttl time.Duration) (string, error) {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, key, own, ttl).Result()
	if err == nil && !ok {
		err = ErrBerth
	}
	return own, err
}

// TakeSeconds is right.
func (b berths) TakeSeconds(ctx context.Context, key string, seconds int64) (string, error) {
	return b.Take(ctx, key, time.Duration(seconds)*time.Second)
}

// TakeMillis makes a thousand times too much of it.
func (b berths) TakeMillis(ctx context.Context, key string, ttlMillis int64) (string, error) {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, key, own, time.Duration(ttlMillis)*time.Second).Result() // EXPECT: ttl-unit // ALSO-OK: long-ttl
	if err == nil && !ok {
		err = ErrBerth
	}
	return own, err
}

var leave = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (b berths) Leave(ctx context.Context, key, own string) error {
	return leave.Run(ctx, b.rdb, []string{key}, own).Err()
}
