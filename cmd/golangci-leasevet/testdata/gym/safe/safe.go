// EXPECT-NONE

// Package safe looks like package lock and is right.
package safe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrBusy says that somebody else holds the lock.
var ErrBusy = errors.New("locked by somebody else")

// release deletes the key only while it holds the caller's owner value.
var release = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0
`)

// Locker takes locks in Redis.
type Locker struct{ rdb *redis.Client }

// New makes a Locker.
func New(rdb *redis.Client) *Locker { return &Locker{rdb: rdb} }

// With runs work while it holds the lock.
func (l *Locker) With(ctx context.Context, key string, lease time.Duration, work func(context.Context) error) error {
	owner := rand.Text()
	held, err := l.rdb.SetNX(ctx, key, owner, lease).Result()
	if err != nil {
		return fmt.Errorf("ask for the lock: %w", err)
	}
	if !held {
		return ErrBusy
	}
	defer release.Run(context.WithoutCancel(ctx), l.rdb, []string{key}, owner)
	return work(ctx)
}
