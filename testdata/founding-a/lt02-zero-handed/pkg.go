// Package zerohanded repairs the bicycles of a shop.
package zerohanded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/lt02-zero-handed/locker"
)

// forever is what the master once wanted: nobody takes a bicycle away from him.
const forever = 0

type Shop struct {
	locks  locker.Locker
	repair func(ctx context.Context, bike int64) error
}

func bikeKey(bike int64) string { return fmt.Sprintf("shop:bike:%d:repair", bike) }

func testKey(bike int64) string { return fmt.Sprintf("shop:bike:%d:test", bike) }

// Repair repairs a bicycle.
func (s *Shop) Repair(ctx context.Context, bike int64) (err error) {
	token, err := s.locks.Lock(ctx, bikeKey(bike), forever) // EXPECT: no-ttl
	if err != nil {
		return fmt.Errorf("bike %d: %w", bike, err)
	}
	defer func() { err = errors.Join(err, s.unlock(ctx, bikeKey(bike), token)) }()
	return s.repair(ctx, bike)
}

// Test rides it around the block.
func (s *Shop) Test(ctx context.Context, bike int64) (err error) {
	token, err := s.locks.Lock(ctx, testKey(bike), 20*time.Second)
	if err != nil {
		return fmt.Errorf("bike %d: %w", bike, err)
	}
	defer func() { err = errors.Join(err, s.unlock(ctx, testKey(bike), token)) }()
	return s.repair(ctx, bike)
}

func (s *Shop) unlock(ctx context.Context, key, token string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return s.locks.Unlock(end, key, token)
}
