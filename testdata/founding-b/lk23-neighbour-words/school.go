// EXPECT-NONE

// Package neighbourwords runs a riding school.
package neighbourwords

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundingb/lk23-neighbour-words/feed"
	"example.test/foundingb/lk23-neighbour-words/stables"
	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBusy = errors.New("somebody else is at it")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Yard does the work.
type Yard interface {
	Ride(ctx context.Context, horse int64) error
	Clean(ctx context.Context, house int64) error
	Ask(ctx context.Context, farm int64) error
	Print(ctx context.Context, form int64) error
}

type School struct {
	cli  redis.UniversalClient
	yard Yard
}

func (s *School) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := s.cli.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, s.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return fn(work)
}

// Ride lets somebody ride a horse.
func (s *School) Ride(ctx context.Context, horse int64) error {
	return s.hold(ctx, stables.HorseKey(horse), func(ctx context.Context) error { return s.yard.Ride(ctx, horse) })
}

// Clean cleans a stable.
func (s *School) Clean(ctx context.Context, house int64) error {
	return s.hold(ctx, stables.HouseKey(house), func(ctx context.Context) error { return s.yard.Clean(ctx, house) })
}

// Ask asks a farm for hay.
func (s *School) Ask(ctx context.Context, farm int64) error {
	return s.hold(ctx, feed.FarmKey(farm), func(ctx context.Context) error { return s.yard.Ask(ctx, farm) })
}

// Print prints an order.
func (s *School) Print(ctx context.Context, form int64) error {
	return s.hold(ctx, feed.FormKey(form), func(ctx context.Context) error { return s.yard.Print(ctx, form) })
}
