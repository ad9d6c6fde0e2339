// Package tokens locks by token.
package tokens

import (
	"context"
	"errors"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var (
	ErrTaken = errors.New("taken")
	ErrGone  = errors.New("lock is gone")
)

// Locker gives a token to who acquires, and wants it back from who releases.
type Locker interface {
	TryLock(ctx context.Context, key string, ttl time.Duration) (token string, err error)
	Extend(ctx context.Context, key string, ttl time.Duration) error
	Prolong(ctx context.Context, key, token string, ttl time.Duration) error
	Unlock(ctx context.Context, key, token string) error
}

type locker struct {
	rdb     redis.UniversalClient
	unlock  *redis.Script
	prolong *redis.Script
}

func New(rdb redis.UniversalClient) Locker {
	return &locker{
		rdb:     rdb,
		unlock:  redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`),
		prolong: redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`),
	}
}

func (l *locker) TryLock(ctx context.Context, key string, ttl time.Duration) (token string, err error) {
	token = uuid.NewString()
	won, err := l.rdb.SetNX(ctx, key, token, ttl).Result()
	if err != nil {
		return "", err
	}
	if !won {
		return "", ErrTaken
	}
	return token, nil
}

// Extend needs no token, and so anybody can.
func (l *locker) Extend(ctx context.Context, key string, ttl time.Duration) error {
	ok, err := l.rdb.PExpire(ctx, key, ttl).Result() // EXPECT: ownerless-extend
	if err == nil && !ok {
		err = ErrGone
	}
	return err
}

// Prolong is the same for the owner alone.
func (l *locker) Prolong(ctx context.Context, key, token string, ttl time.Duration) error {
	n, err := l.prolong.Run(ctx, l.rdb, []string{key}, token, ttl.Milliseconds()).Int()
	if err == nil && n == 0 {
		err = ErrGone
	}
	return err
}

func (l *locker) Unlock(ctx context.Context, key, token string) error {
	return l.unlock.Run(ctx, l.rdb, []string{key}, token).Err()
}
