// Package lease is the lock of this module: an owner value per acquisition, released and extended in one step.
package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrTaken says that somebody else holds the lock.
var ErrTaken = errors.New("lock is taken")

var (
	drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	keep = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
)

// Locker takes locks.
type Locker struct{ rdb redis.UniversalClient }

// New makes a Locker.
func New(rdb redis.UniversalClient) *Locker { return &Locker{rdb: rdb} }

// Lease is a lock that is held.
type Lease struct {
	rdb      redis.UniversalClient
	key, own string
	ttl      time.Duration
}

// Take tries once.
func (l *Locker) Take(ctx context.Context, key string, ttl time.Duration) (*Lease, error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, key, own, ttl).Result()
	if err != nil {
		return nil, fmt.Errorf("take %s: %w", key, err)
	}
	if !ok {
		return nil, ErrTaken
	}
	return &Lease{rdb: l.rdb, key: key, own: own, ttl: ttl}, nil
}

// Wait tries until ctx ends.
func (l *Locker) Wait(ctx context.Context, key string, ttl time.Duration) (*Lease, error) {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		held, err := l.Take(ctx, key, ttl)
		if !errors.Is(err, ErrTaken) {
			return held, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// Free releases the lock, on a context of its own.
func (l *Lease) Free(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return drop.Run(end, l.rdb, []string{l.key}, l.own).Err()
}

// FreeOn releases the lock on the given context.
func (l *Lease) FreeOn(ctx context.Context) error {
	return drop.Run(ctx, l.rdb, []string{l.key}, l.own).Err()
}

// Renew extends the lease; false says that it is lost.
func (l *Lease) Renew(ctx context.Context) (bool, error) {
	n, err := keep.Run(ctx, l.rdb, []string{l.key}, l.own, l.ttl.Milliseconds()).Int()
	return n == 1, err
}

// With runs fn while the lock is held. It waits for the lock.
func (l *Locker) With(ctx context.Context, key string, ttl time.Duration, fn func(context.Context) error) (err error) {
	held, err := l.Wait(ctx, key, ttl)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Free(ctx)) }()
	return fn(ctx)
}

// Acquire returns what releases.
func (l *Locker) Acquire(ctx context.Context, key string, ttl time.Duration) (func(), error) {
	held, err := l.Take(ctx, key, ttl)
	if err != nil {
		return nil, err
	}
	return func() { _ = held.Free(ctx) }, nil
}

// Lock is what a section has in its hands.
type Lock interface {
	Free(ctx context.Context) error
}

// Taker is the part of Locker that services depend on.
type Taker interface {
	Take(ctx context.Context, key string, ttl time.Duration) (*Lease, error)
}
