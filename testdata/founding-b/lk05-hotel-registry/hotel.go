// EXPECT-NONE

// Package hotelregistry runs a hotel.
package hotelregistry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundingb/lk05-hotel-registry/keys"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("somebody else is at it")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Staff does the work.
type Staff interface {
	Give(ctx context.Context, suite, guest int64) error
	Clean(ctx context.Context, suite int64) error
	Fill(ctx context.Context, minibar int64) error
	Charge(ctx context.Context, minibar int64) error
	Wash(ctx context.Context, bag int64) error
}

type Hotel struct {
	rdb   redis.UniversalClient
	staff Staff
}

func (h *Hotel) during(ctx context.Context, n keys.Name, fn func(context.Context) error) (err error) {
	key, owner := n.String(), uuid.NewString()
	ok, err := h.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, h.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return fn(work)
}

// Give gives a suite to a guest.
func (h *Hotel) Give(ctx context.Context, suite, guest int64) error {
	return h.during(ctx, keys.Suite(suite), func(ctx context.Context) error { return h.staff.Give(ctx, suite, guest) })
}

// Clean cleans a suite.
func (h *Hotel) Clean(ctx context.Context, suite int64) error {
	return h.during(ctx, keys.Suite(suite), func(ctx context.Context) error { return h.staff.Clean(ctx, suite) })
}

// Fill fills a minibar.
func (h *Hotel) Fill(ctx context.Context, minibar int64) error {
	return h.during(ctx, keys.Minibar(minibar), func(ctx context.Context) error { return h.staff.Fill(ctx, minibar) })
}

// Charge charges what is missing.
func (h *Hotel) Charge(ctx context.Context, minibar int64) error {
	return h.during(ctx, keys.Minibar(minibar), func(ctx context.Context) error { return h.staff.Charge(ctx, minibar) })
}

// Wash washes a bag.
func (h *Hotel) Wash(ctx context.Context, bag keys.Bag) error {
	return h.during(ctx, bag.LockName(), func(ctx context.Context) error { return h.staff.Wash(ctx, int64(bag)) })
}
