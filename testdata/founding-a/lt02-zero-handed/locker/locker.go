// EXPECT-NONE

// Package locker locks for as long as it is told.
package locker

import (
	"context"
	"errors"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrLocked = errors.New("locked")

// Locker locks keys.
type Locker interface {
	Lock(ctx context.Context, key string, ttl time.Duration) (token string, err error)
	Unlock(ctx context.Context, key, token string) error
}

type locker struct{ rdb redis.UniversalClient }

func New(rdb redis.UniversalClient) Locker { return &locker{rdb} }

func (l *locker) Lock(ctx context.Context, key string, ttl time.Duration) (string, error) {
	token := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, key, token, ttl).Result()
	if err != nil {
		return "", err
	}
	if !ok {
		return "", ErrLocked
	}
	return token, nil
}

const drop = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

func (l *locker) Unlock(ctx context.Context, key, token string) error {
	return l.rdb.Eval(ctx, drop, []string{key}, token).Err()
}
