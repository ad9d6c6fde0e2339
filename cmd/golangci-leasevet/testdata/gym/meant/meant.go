// EXPECT-NONE

// Package meant has the fault of package lock twice, and says of each that it is known.
package meant

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

// Clean runs work while it holds the lock of a room.
func (l *Locker) Clean(ctx context.Context, room string, work func(context.Context) error) error {
	if err := l.acquire(ctx, cleanKey(room)); err != nil {
		return err
	}
	defer l.rdb.Del(context.WithoutCancel(ctx), cleanKey(room)) //nolint:leasevet // cleaning twice does no harm
	return work(ctx)
}

// Air runs work while it holds the lock of a room.
func (l *Locker) Air(ctx context.Context, room string, work func(context.Context) error) error {
	if err := l.acquire(ctx, airKey(room)); err != nil {
		return err
	}
	//leasevet:ignore ownerless-release airing twice does no harm
	defer l.rdb.Del(context.WithoutCancel(ctx), airKey(room))
	return work(ctx)
}

func cleanKey(room string) string { return "gym:clean:" + room }

func airKey(room string) string { return "gym:air:" + room }

func (l *Locker) acquire(ctx context.Context, key string) error {
	held, err := l.rdb.SetNX(ctx, key, rand.Text(), 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("ask for the lock: %w", err)
	}
	if !held {
		return ErrBusy
	}
	return nil
}
