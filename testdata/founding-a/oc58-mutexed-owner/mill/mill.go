// EXPECT-NONE

// Package mill grinds the corn of the village.
package mill

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrGrinding = errors.New("another mill grinds")

// Mill keeps its owner value under mu from Grind's begin to its end.
type Mill struct {
	rdb   *redis.Client
	grind func(ctx context.Context) error

	mu    sync.Mutex
	owner string
}

func sackKey() string { return "village:sack" }

const dropOwn = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// Grind grinds one sack.
func (m *Mill) Grind(ctx context.Context) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owner = uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, sackKey(), m.owner, 20*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrGrinding
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, m.rdb.Eval(end, dropOwn, []string{sackKey()}, m.owner).Err())
	}()
	return m.grind(ctx)
}
