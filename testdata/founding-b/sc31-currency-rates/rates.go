// EXPECT-NONE

// Package currencyrates takes exchange rates from the central bank.
package currencyrates

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("currency is being refreshed")

// Bank quotes rates.
type Bank interface {
	Quote(ctx context.Context, currency int64) (float64, error)
}

// Shelf keeps rates for all replicas.
type Shelf interface {
	Put(ctx context.Context, currency int64, rate float64) error
	All(ctx context.Context) (map[int64]float64, error)
}

// Rates refreshes and tells rates.
type Rates interface {
	Refresh(ctx context.Context, currency int64) error
	Warm(ctx context.Context) error
	Rate(currency int64) (float64, bool)
}

type rates struct {
	bank  Bank
	shelf Shelf
	mu    sync.RWMutex
	known map[int64]float64
}

// Refresh asks the bank, which charges for every question.
func (r *rates) Refresh(ctx context.Context, currency int64) error {
	rate, err := r.bank.Quote(ctx, currency)
	if err != nil {
		return err
	}
	return r.shelf.Put(ctx, currency, rate)
}

// Warm reads the shelf into memory.
func (r *rates) Warm(ctx context.Context) error {
	all, err := r.shelf.All(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = all
	return nil
}

func (r *rates) Rate(currency int64) (float64, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	rate, ok := r.known[currency]
	return rate, ok
}

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type polite struct {
	Rates
	rdb *redis.Client
}

// New warms the rates of this replica up, and only then puts the lock in front of them.
func New(ctx context.Context, bank Bank, shelf Shelf, rdb *redis.Client) (Rates, error) {
	raw := &rates{bank: bank, shelf: shelf}
	if err := raw.Warm(ctx); err != nil {
		return nil, fmt.Errorf("warm up: %w", err)
	}
	return &polite{Rates: raw, rdb: rdb}, nil
}

func currencyKey(currency int64) string { return fmt.Sprintf("currency:%d:quote", currency) }

func (p *polite) Refresh(ctx context.Context, currency int64) (err error) {
	key, owner := currencyKey(currency), uuid.NewString()
	ok, err := p.rdb.SetNX(ctx, key, owner, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, p.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return p.Rates.Refresh(work, currency)
}
