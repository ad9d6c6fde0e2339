// Package pilots steers ships; it does not know the harbour's package.
package pilots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBusy = errors.New("lane is in use")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Boats does the work.
type Boats interface {
	Steer(ctx context.Context, lane int64) error
}

type Pilots struct {
	Client redis.UniversalClient
	Boats  Boats
}

func keyOf[ID ~int64](lane ID) string {
	return fmt.Sprintf("fairway:lane:%d", int64(lane)) // EXPECT: duplicate-prefix
}

func (p *Pilots) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := p.Client.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, p.Client, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return fn(work)
}

// Steer steers a ship through a lane.
func (p *Pilots) Steer(ctx context.Context, lane int64) error {
	return p.hold(ctx, keyOf(lane), func(ctx context.Context) error { return p.Boats.Steer(ctx, lane) })
}
