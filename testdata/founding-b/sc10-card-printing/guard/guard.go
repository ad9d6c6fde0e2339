// Package guard puts a lock in front of a step of any work.
package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrBusy says that another replica works on the item.
var ErrBusy = errors.New("item is being worked on")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Step does something with one item.
type Step[T any] interface {
	Do(ctx context.Context, item T) error
}

// Guard is a Step that does one item in one place at a time.
type Guard[T any] struct {
	next Step[T]
	rdb  redis.UniversalClient
	key  func(T) string
}

// New wraps a step; key names the item.
func New[T any](next Step[T], rdb redis.UniversalClient, key func(T) string) *Guard[T] {
	return &Guard[T]{next: next, rdb: rdb, key: key}
}

// Do implements Step.
func (g *Guard[T]) Do(ctx context.Context, item T) (err error) {
	key, owner := g.key(item), uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, g.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return g.next.Do(work, item)
}
