// Package locks has one TTL for all.
package locks

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("busy")

const ttl = 15 * time.Second

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Exclusive runs fn and returns what it returns.
func Exclusive[T any](ctx context.Context, rdb redis.Cmdable, key string, fn func(context.Context) (T, error)) (out T, err error) {
	own := uuid.NewString()
	ok, err := rdb.SetNX(ctx, key, own, ttl).Result() // ALSO-OK: short-ttl
	if err != nil {
		return out, err
	}
	if !ok {
		return out, ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, rdb, []string{key}, own).Err())
	}()
	return fn(ctx)
}
