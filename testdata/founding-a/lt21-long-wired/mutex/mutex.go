// EXPECT-NONE

// Package mutex has a TTL of its own.
package mutex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrTaken = errors.New("taken")

// Mutex runs functions, one at a time per key.
type Mutex interface {
	Do(ctx context.Context, key string, fn func(context.Context) error) error
}

// Options of a mutex.
type Options struct {
	Prefix string
	TTL    time.Duration
}

type mutex struct {
	rdb  redis.UniversalClient
	opts Options
}

// New makes a mutex.
func New(rdb redis.UniversalClient, opts Options) Mutex { return &mutex{rdb: rdb, opts: opts} }

const compareAndDelete = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

func (m *mutex) name(key string) string { return m.opts.Prefix + ":" + key }

func (m *mutex) Do(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	own := uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, m.name(key), own, m.opts.TTL).Result()
	if err != nil {
		return fmt.Errorf("mutex %s: %w", key, err)
	}
	if !ok {
		return ErrTaken
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, m.rdb.Eval(end, compareAndDelete, []string{m.name(key)}, own).Err())
	}()
	return fn(ctx)
}
