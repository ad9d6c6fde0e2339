// EXPECT-NONE

// Package crateshipping books crates on ships.
package crateshipping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var errBusy = errors.New("crate is being booked")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Carrier has the ships.
type Carrier interface {
	Booked(ctx context.Context, crate int64) (bool, error)
	Book(ctx context.Context, crate int64) error
}

type step func(ctx context.Context, crate int64) error

func crateKey(crate int64) string { return fmt.Sprintf("crate:%d:ship", crate) }

func exclusive(cli redis.Cmdable, next step) step {
	return func(ctx context.Context, crate int64) (err error) {
		key, owner := crateKey(crate), uuid.NewString()
		ok, err := cli.SetNX(ctx, key, owner, 20*time.Second).Result()
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !ok {
			return errBusy
		}
		defer func() {
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer stop()
			err = errors.Join(err, release.Run(end, cli, []string{key}, owner).Err())
		}()
		work, cancel := context.WithTimeout(ctx, 15*time.Second)
		defer cancel()
		return next(work, crate)
	}
}

type Shipping struct {
	carrier Carrier
	now     step
	later   step
}

// New wraps the step first and keeps it in both places afterwards.
func New(carrier Carrier, cli redis.Cmdable) *Shipping {
	s := &Shipping{carrier: carrier}
	book := step(s.book)
	book = exclusive(cli, book)
	s.now, s.later = book, book
	return s
}

func (s *Shipping) book(ctx context.Context, crate int64) error {
	done, err := s.carrier.Booked(ctx, crate)
	if err != nil || done {
		return err
	}
	return s.carrier.Book(ctx, crate)
}

// Ship books a crate.
func (s *Shipping) Ship(ctx context.Context, crate int64) error { return s.now(ctx, crate) }

// Rest books what an earlier run left.
func (s *Shipping) Rest(ctx context.Context, crates []int64) error {
	var all error
	for _, c := range crates {
		all = errors.Join(all, s.later(ctx, c))
	}
	return all
}
