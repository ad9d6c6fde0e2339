// Package raw wraps the commands that the cache uses.
package raw

import (
	"context"
	"errors"
	"time"

	"github.com/go-redis/redis/v8"
)

type Client struct{ c *redis.ClusterClient }

func New(c *redis.ClusterClient) *Client { return &Client{c: c} }

// Read returns "" for what is not there.
func (r *Client) Read(ctx context.Context, key string) (string, error) {
	s, err := r.c.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	return s, err
}

func (r *Client) Write(ctx context.Context, key, value string, d time.Duration) error {
	return r.c.Set(ctx, key, value, d).Err()
}

// Claim stores a mark if there is none.
func (r *Client) Claim(ctx context.Context, key string, d time.Duration) (bool, error) {
	cmd := r.c.SetNX(ctx, key, true, d) // EXPECT: constant-owner
	return cmd.Val(), cmd.Err()
}

// Drop makes a key expire at once.
func (r *Client) Drop(ctx context.Context, key string) error {
	return r.c.Expire(ctx, key, 0).Err() // EXPECT: ownerless-release
}
