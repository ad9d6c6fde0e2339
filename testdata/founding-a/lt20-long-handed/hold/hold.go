// EXPECT-NONE

// Package hold holds keys.
package hold

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrHeld = errors.New("held")

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Hold is a key that is held.
type Hold struct {
	rdb      redis.Cmdable
	key, own string
}

// Take takes a key for so long at most.
func Take(ctx context.Context, rdb redis.Cmdable, key string, d time.Duration) (*Hold, error) {
	h := &Hold{rdb: rdb, key: key, own: uuid.NewString()}
	ok, err := rdb.SetNX(ctx, key, h.own, d).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrHeld
	}
	return h, nil
}

// Let lets go.
func (h *Hold) Let(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return drop.Run(end, h.rdb, []string{h.key}, h.own).Err()
}
