// Package wrappedlimits limits calls. Its lock hands every error on, wrapped.
package wrappedlimits

import (
	"context"

	"github.com/go-redsync/redsync/v4"
	"github.com/pkg/errors"
)

// Locker is what the limits need.
type Locker interface {
	Lock(ctx context.Context) error
	Unlock(ctx context.Context) error
}

type mutexLocker struct{ mutex *redsync.Mutex }

// NewLocker makes a lock.
func NewLocker(rs *redsync.Redsync, name string) Locker {
	return &mutexLocker{mutex: rs.NewMutex("limits:" + name)}
}

func (l *mutexLocker) Lock(ctx context.Context) error {
	err := l.mutex.LockContext(ctx)
	return errors.Wrap(err, "limit")
}

func (l *mutexLocker) Unlock(ctx context.Context) error {
	ok, err := l.mutex.UnlockContext(ctx)
	if !ok || err != nil {
		return errors.Wrap(err, "limit stays")
	}
	return nil
}

type Limits struct {
	lock Locker
	take func(ctx context.Context) error
}

// Take is right.
func (l *Limits) Take(ctx context.Context) error {
	if err := l.lock.Lock(ctx); err != nil {
		return err
	}
	defer l.lock.Unlock(context.WithoutCancel(ctx))
	return l.take(ctx)
}

// TakeAnyway is not.
func (l *Limits) TakeAnyway(ctx context.Context) error {
	lock := l.lock.Lock
	if err := lock(ctx); err != nil { // EXPECT: acquire-ignored
		println("limit", err.Error())
	}
	defer l.lock.Unlock(context.WithoutCancel(ctx))
	return l.take(ctx)
}
