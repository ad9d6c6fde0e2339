// EXPECT-NONE

// Package mutexedowner writes the chronicle of a village.
package mutexedowner

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrWriting = errors.New("another house writes")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Chronicle excludes the goroutines of its process by turn, and other processes by the key. While turn is held, owner
// belongs to one goroutine.
type Chronicle struct {
	rdb   *redis.Client
	turn  chan struct{}
	owner string
	write func(ctx context.Context, line string) error
}

func New(rdb *redis.Client, write func(context.Context, string) error) *Chronicle {
	return &Chronicle{rdb: rdb, turn: make(chan struct{}, 1), write: write}
}

func chronicleKey() string { return "village:chronicle" }

func (c *Chronicle) acquire(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	owner := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, chronicleKey(), owner, 20*time.Second).Result()
	if err == nil && !ok {
		err = ErrWriting
	}
	if err != nil {
		<-c.turn
		return err
	}
	c.owner = owner // ALSO-OK: owner-overwritten
	return nil
}

func (c *Chronicle) release(ctx context.Context) error {
	defer func() { <-c.turn }()
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return release.Run(end, c.rdb, []string{chronicleKey()}, c.owner).Err()
}

// Add adds a line.
func (c *Chronicle) Add(ctx context.Context, line string) (err error) {
	if err := c.acquire(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.release(ctx)) }()
	return c.write(ctx, line)
}
