// Package slot is a lock with options.
package slot

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrSlot = errors.New("slot is taken")

// Slots is made once; the zero TTL means what Redis means by it.
type Slots struct {
	rdb redis.Cmdable
	ttl time.Duration
}

// Option changes the slots.
type Option func(*Slots)

// TTL limits how long a slot stays taken after a crash.
func TTL(d time.Duration) Option { return func(s *Slots) { s.ttl = d } }

// New makes slots.
func New(rdb redis.Cmdable, opts ...Option) *Slots {
	s := &Slots{rdb: rdb}
	for _, o := range opts {
		o(s)
	}
	return s
}

const giveBack = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// With runs fn in the slot.
func With[T any](ctx context.Context, s *Slots, key string, fn func(context.Context) (T, error)) (out T, err error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, own, s.ttl).Result() // EXPECT: no-ttl
	if err != nil {
		return out, err
	}
	if !ok {
		return out, ErrSlot
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, s.rdb.Eval(end, giveBack, []string{key}, own).Err())
	}()
	return fn(ctx)
}
