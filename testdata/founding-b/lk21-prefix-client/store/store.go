// Package store is the Redis of the whole company: each application has a prefix of its own in it.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Client puts the prefix of its application before every key.
type Client struct {
	rdb    redis.UniversalClient
	prefix string
}

// New returns the client of an application.
func New(rdb redis.UniversalClient, application string) (*Client, error) {
	if application == "" {
		return nil, errors.New("application required")
	}
	return &Client{rdb: rdb, prefix: "app-" + application + "/"}, nil
}

// SetIfAbsent stores a value under a key that is not there.
func (c *Client) SetIfAbsent(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	// ALSO-OK: key-from-strings
	return c.rdb.SetNX(ctx, c.prefix+key, value, ttl).Result()
}
