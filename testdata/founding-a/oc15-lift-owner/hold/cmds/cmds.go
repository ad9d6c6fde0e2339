// Package cmds has the commands that hold needs.
package cmds

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

type Cmds struct{ rdb *redis.Client }

func New(rdb *redis.Client) *Cmds { return &Cmds{rdb: rdb} }

// PutNew stores a value under a key that is not there.
func (c *Cmds) PutNew(ctx context.Context, key, value string, ttl time.Duration) (ok bool, err error) {
	ok, err = c.rdb.SetNX(ctx, key, value, ttl).Result()
	return
}

// Has reports whether the value stands under the key.
func (c *Cmds) Has(ctx context.Context, key, value string) (bool, error) {
	now, err := c.rdb.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return now == value, err
}

// RemoveIf removes the key if the value stands under it.
func (c *Cmds) RemoveIf(ctx context.Context, key, value string) error {
	has, err := c.Has(ctx, key, value)
	if err != nil || !has {
		return err
	}
	return c.rdb.PExpire(ctx, key, 0).Err() // EXPECT: nonatomic-release
}
