// Package lock is the lock that the gym's services share. It forgets whose lock it releases.
package lock

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

// Locker takes locks in Redis.
type Locker struct{ rdb *redis.Client }

// New makes a Locker.
func New(rdb *redis.Client) *Locker { return &Locker{rdb: rdb} }

// With runs work while it holds the lock.
func (l *Locker) With(ctx context.Context, key string, lease time.Duration, work func(context.Context) error) error {
	held, err := l.rdb.SetNX(ctx, key, rand.Text(), lease).Result()
	if err != nil {
		return fmt.Errorf("ask for the lock: %w", err)
	}
	if !held {
		return ErrBusy
	}
	defer l.rdb.Del(context.WithoutCancel(ctx), key) // EXPECT: ownerless-release
	return work(ctx)
}
