// Package guarded runs functions with results, one replica at a time.
package guarded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrElsewhere = errors.New("runs elsewhere")

// dropAndTell removes the key and wakes those who wait for it.
const dropAndTell = `
local n = redis.call("DEL", KEYS[1])
redis.call("PUBLISH", KEYS[1] .. ":freed", ARGV[1])
return n`

// Call returns what fn returns, or ErrElsewhere.
func Call[T any](ctx context.Context, rdb redis.UniversalClient, key string, fn func(context.Context) (T, error)) (out T, err error) {
	token := uuid.NewString()
	won, err := rdb.SetNX(ctx, key, token, 30*time.Second).Result()
	if err != nil {
		return out, fmt.Errorf("guard %s: %w", key, err)
	}
	if !won {
		return out, ErrElsewhere
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, rdb.Eval(end, dropAndTell, []string{key}, token).Err()) // EXPECT: ownerless-release
	}()
	return fn(ctx)
}
