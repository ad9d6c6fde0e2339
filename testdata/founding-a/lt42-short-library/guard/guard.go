// Package guard is a guard over the lock library's.
package guard

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// Guard takes guards.
type Guard interface {
	Enter(ctx context.Context, key string) (Held, error)
}

// Held is a guard that was taken.
type Held interface {
	Leave(ctx context.Context) error
}

type guard struct{ rs *redsync.Redsync }

// New leaves everything to the library's defaults.
func New(rdb redis.UniversalClient) Guard {
	return &guard{rs: redsync.New(goredis.NewPool(rdb))}
}

type held struct{ m *redsync.Mutex }

func (g *guard) Enter(ctx context.Context, key string) (Held, error) {
	m := g.rs.NewMutex(key)
	if err := m.LockContext(ctx); err != nil { // ALSO-OK: short-ttl
		return nil, err
	}
	return held{m}, nil
}

func (h held) Leave(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	ok, err := h.m.UnlockContext(end)
	if err == nil && !ok {
		err = errors.New("guard was lost")
	}
	return err
}
