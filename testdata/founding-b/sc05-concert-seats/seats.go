// Package concertseats sells the seats of concerts.
package concertseats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("concert is being sold elsewhere")

// Plan stores how many seats are left.
type Plan interface {
	Left(ctx context.Context, concert int64) (int, error)
	SetLeft(ctx context.Context, concert int64, left int) error
}

// Hall knows the rules of selling.
type Hall struct{ plan Plan }

// Reserve takes seats of a concert.
func (h *Hall) Reserve(ctx context.Context, concert int64, seats int) error {
	left, err := h.plan.Left(ctx, concert)
	if err != nil {
		return err
	}
	if left < seats {
		return fmt.Errorf("concert %d has %d seats left", concert, left)
	}
	return h.plan.SetLeft(ctx, concert, left-seats)
}

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Auditorium is a Hall that several box offices sell from.
type Auditorium struct {
	*Hall
	rdb redis.UniversalClient
}

// New opens the box offices.
func New(plan Plan, rdb redis.UniversalClient) *Auditorium {
	return &Auditorium{Hall: &Hall{plan: plan}, rdb: rdb}
}

func concertKey(concert int64) string { return fmt.Sprintf("auditorium:concert:%d", concert) }

// Reserve sells the seats of a concert one sale at a time.
func (a *Auditorium) Reserve(ctx context.Context, concert int64, seats int) (err error) {
	key, owner := concertKey(concert), uuid.NewString()
	ok, err := a.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return errBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, a.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return a.Hall.Reserve(work, concert, seats)
}

// ReserveSeries takes the same number of seats for each concert of a series.
func (a *Auditorium) ReserveSeries(ctx context.Context, series []int64, seats int) error {
	for _, concert := range series {
		if err := a.Hall.Reserve(ctx, concert, seats); err != nil { // EXPECT: self-call
			return fmt.Errorf("concert %d: %w", concert, err)
		}
	}
	return nil
}
