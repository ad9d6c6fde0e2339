// EXPECT-NONE

// Package testcleanup numbers the tickets of a cloakroom.
package testcleanup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrHook = errors.New("hook is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Cloakroom struct{ Rdb *redis.Client }

func hookKey(hook int) string { return fmt.Sprintf("cloakroom:hook:%d", hook) }

// Hang runs fn while the hook is the caller's.
func (c *Cloakroom) Hang(ctx context.Context, hook int, fn func(context.Context) error) (err error) {
	own := uuid.NewString()
	ok, err := c.Rdb.SetNX(ctx, hookKey(hook), own, 20*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrHook
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, c.Rdb, []string{hookKey(hook)}, own).Err())
	}()
	return fn(ctx)
}
