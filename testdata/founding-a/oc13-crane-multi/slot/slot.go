// Package slot reserves cranes.
package slot

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrReserved = errors.New("crane is reserved")

// Slot is one reservation.
type Slot interface {
	Free(ctx context.Context) error
}

// Slots reserves.
type Slots interface {
	Reserve(ctx context.Context, key string, d time.Duration) (Slot, error)
}

type slots struct{ rdb redis.UniversalClient }

func New(rdb redis.UniversalClient) Slots { return slots{rdb} }

type slot struct {
	rdb      redis.UniversalClient
	key, own string
}

func (s slots) Reserve(ctx context.Context, key string, d time.Duration) (Slot, error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, own, d).Result()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrReserved
	default:
		return &slot{rdb: s.rdb, key: key, own: own}, nil
	}
}

// mine asks whether the reservation still stands.
func (s *slot) mine(ctx context.Context) (bool, error) {
	now, err := s.rdb.Get(ctx, s.key).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return now == s.own, err
}

// Free deletes and counts in one transaction, which does not cover the question before it.
func (s *slot) Free(ctx context.Context) error {
	ok, err := s.mine(ctx)
	if err != nil || !ok {
		return err
	}
	_, err = s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, s.key) // EXPECT: nonatomic-release
		p.Incr(ctx, "cranes:freed")
		return nil
	})
	return err
}
