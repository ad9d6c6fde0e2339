// Package keyed locks what K numbers.
package keyed

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrLocked = errors.New("locked")

// Locker is used by its keys.
type Locker[K comparable] interface {
	Lock(ctx context.Context, k K, ttl time.Duration) error
	Unlock(ctx context.Context, k K) error
}

type locker[K comparable] struct {
	rdb    redis.UniversalClient
	name   func(K) string
	owners map[K]string
	drop   *redis.Script
}

// New returns a locker whose keys are named by name.
func New[K comparable](rdb redis.UniversalClient, name func(K) string) Locker[K] {
	return &locker[K]{rdb: rdb, name: name, owners: map[K]string{}, drop: redis.NewScript(`
		if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
		return 0`)}
}

func (l *locker[K]) Lock(ctx context.Context, k K, ttl time.Duration) error {
	owner := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, l.name(k), owner, ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrLocked
	}
	l.owners[k] = owner // EXPECT: owner-overwritten
	return nil
}

func (l *locker[K]) Unlock(ctx context.Context, k K) error {
	owner, ok := l.owners[k]
	if !ok {
		return nil
	}
	delete(l.owners, k)
	return l.drop.Run(ctx, l.rdb, []string{l.name(k)}, owner).Err() // ALSO-OK: ownerless-release
}
