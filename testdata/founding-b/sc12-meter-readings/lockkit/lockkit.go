// Package lockkit runs functions one at a time.
package lockkit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

// ErrHeld says that somebody else runs.
var ErrHeld = errors.New("lock is held")

// Locker runs fn while key is held.
type Locker interface {
	Once(ctx context.Context, key string, fn func(context.Context) error) error
}

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Shared excludes all replicas.
type Shared struct{ Client redis.UniversalClient }

// Once implements Locker.
func (s Shared) Once(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := s.Client.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrHeld
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, s.Client, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Local excludes the goroutines of one process; it is for development.
type Local struct {
	mu   sync.Mutex
	held map[string]bool
}

func (l *Local) take(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]bool{}
	}
	free := !l.held[key]
	l.held[key] = true
	return free
}

// Once implements Locker.
func (l *Local) Once(ctx context.Context, key string, fn func(context.Context) error) error {
	if !l.take(key) {
		return ErrHeld
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.held, key)
	}()
	return fn(ctx)
}
