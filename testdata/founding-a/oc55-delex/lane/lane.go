// EXPECT-NONE

// Package lane closes the lanes of a motorway, with the commands that compare.
package lane

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrClosed = errors.New("lane is closed already")
	ErrLost   = errors.New("lane was opened by time")
)

// Closing is a lane that is closed.
type Closing interface {
	Extend(ctx context.Context) error
	Open(ctx context.Context) error
}

type closing struct {
	rdb      redis.Cmdable
	key, own string
	ttl      time.Duration
}

// Close closes the lane for the given time.
func Close(ctx context.Context, rdb redis.Cmdable, key string, ttl time.Duration) (Closing, error) {
	c := &closing{rdb: rdb, key: key, own: uuid.NewString(), ttl: ttl}
	ok, err := rdb.SetNX(ctx, key, c.own, ttl).Result()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrClosed
	}
	return c, nil
}

// Extend stores the owner over itself, and over nobody else.
func (c *closing) Extend(ctx context.Context) error {
	args := redis.SetArgs{Mode: "IFEQ", MatchValue: c.own, TTL: c.ttl}
	err := c.rdb.SetArgs(ctx, c.key, c.own, args).Err()
	if errors.Is(err, redis.Nil) {
		return ErrLost
	}
	return err
}

// Open opens the lane.
func (c *closing) Open(ctx context.Context) error {
	n, err := c.rdb.DelExArgs(ctx, c.key, redis.DelExArgs{Mode: "IFEQ", MatchValue: c.own}).Result()
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}
