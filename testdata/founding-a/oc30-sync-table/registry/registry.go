// Package registry remembers the owners of this process.
package registry

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrOwned = errors.New("owned by somebody else")

// Registry is safe for use by several goroutines.
type Registry struct {
	rdb    *redis.Ring
	owners sync.Map
	drop   *redis.Script
}

func New(rdb *redis.Ring) *Registry {
	return &Registry{rdb: rdb, drop: redis.NewScript(
		`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)}
}

// Own takes the key. The owner is stored whatever comes out, over that of a goroutine which holds the key.
func (r *Registry) Own(ctx context.Context, key string, ttl time.Duration) error {
	owner := uuid.NewString()
	r.owners.Store(key, owner) // EXPECT: owner-overwritten
	ok, err := r.rdb.SetNX(ctx, key, owner, ttl).Result()
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrOwned
	}
	return nil
}

// Disown gives the key back.
func (r *Registry) Disown(ctx context.Context, key string) error {
	owner, ok := r.owners.Load(key)
	if !ok {
		return nil
	}
	return r.drop.Run(ctx, r.rdb, []string{key}, owner).Err() // ALSO-OK: ownerless-release
}
