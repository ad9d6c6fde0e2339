// Package facade hides the lock library.
package facade

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v8"

	redis "github.com/go-redis/redis/v8"
)

var (
	ErrBusy = errors.New("busy")
	ErrLost = errors.New("lock was lost")
)

// Locker locks one thing after another.
type Locker interface {
	Lock(ctx context.Context, key string) error
	Unlock(ctx context.Context) error
}

type locker struct {
	rs   *redsync.Redsync
	last *redsync.Mutex
}

// New returns a locker on one server.
func New(c *redis.Client) Locker { return &locker{rs: redsync.New(goredis.NewPool(c))} }

func (l *locker) Lock(ctx context.Context, key string) error {
	l.last = l.rs.NewMutex(key, redsync.WithExpiry(20*time.Second), redsync.WithTries(1)) // EXPECT: owner-overwritten
	err := l.last.LockContext(ctx)
	var taken *redsync.ErrTaken
	if errors.As(err, &taken) || errors.Is(err, redsync.ErrFailed) {
		return ErrBusy
	}
	return err
}

func (l *locker) Unlock(ctx context.Context) error {
	ok, err := l.last.UnlockContext(ctx) // ALSO-OK: ownerless-release
	if err == nil && !ok {
		err = ErrLost
	}
	return err
}
