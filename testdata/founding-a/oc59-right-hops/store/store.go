// EXPECT-NONE

// Package store is the right twin of many wrong ones: tokens go through every signature.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrNotOwner = errors.New("not the owner")

type Store struct{ rdb redis.Scripter }

// New needs scripts only: acquiring is a script, too.
func New(rdb redis.Scripter) *Store { return &Store{rdb: rdb} }

var (
	acquire = redis.NewScript(`
		if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
			return 1
		end
		return 0`)
	release = redis.NewScript(`
		local own = redis.call("GET", KEYS[1])
		if not own or own ~= ARGV[1] then
			return 0
		end
		redis.call("DEL", KEYS[1])
		return 1`)
	extend = redis.NewScript(`
		if redis.call("GET", KEYS[1]) == ARGV[1] then
			redis.call("SET", KEYS[1], ARGV[1], "XX", "PX", ARGV[2])
			return 1
		end
		return 0`)
)

// Acquire reports whether the token stands under the key now.
func (s *Store) Acquire(ctx context.Context, key, token string, ttl time.Duration) (bool, error) {
	n, err := acquire.Run(ctx, s.rdb, []string{key}, token, ttl.Milliseconds()).Int()
	return n == 1, err
}

// Extend prolongs the lease of the token.
func (s *Store) Extend(ctx context.Context, key, token string, ttl time.Duration) error {
	return owned(extend.Run(ctx, s.rdb, []string{key}, token, ttl/time.Millisecond).Int())
}

// Release ends the lease of the token.
func (s *Store) Release(ctx context.Context, key, token string) error {
	return owned(release.Run(ctx, s.rdb, []string{key}, token).Int())
}

func owned(n int, err error) error {
	if err == nil && n == 0 {
		err = ErrNotOwner
	}
	return err
}
