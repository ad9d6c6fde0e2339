// EXPECT-NONE

// Package kiosktill counts the money in the tills of kiosks.
package kiosktill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("till is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Safe knows how much is in a till.
type Safe interface {
	Cash(ctx context.Context, till int64) (int64, error)
	SetCash(ctx context.Context, till, cents int64) error
}

type Tills struct {
	rdb  redis.UniversalClient
	safe Safe
}

func tillKey(till int64) string { return fmt.Sprintf("kiosk:till:%d", till) }

// claim takes the lock of a till and returns what gives it back.
func (t *Tills) claim(ctx context.Context, till int64) (func() error, error) {
	key, owner := tillKey(till), uuid.NewString()
	ok, err := t.rdb.SetNX(ctx, key, owner, 15*time.Second).Result()
	if err != nil {
		return nil, fmt.Errorf("till %d: %w", till, err)
	}
	if !ok {
		return nil, ErrBusy
	}
	return func() error {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		return release.Run(end, t.rdb, []string{key}, owner).Err()
	}, nil
}

// Sell puts the money of a sale into the till.
func (t *Tills) Sell(ctx context.Context, till, cents int64) (err error) {
	free, err := t.claim(ctx, till)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	return t.addLocked(ctx, till, cents)
}

// Refund takes money out, and puts the fee in.
func (t *Tills) Refund(ctx context.Context, till, cents, fee int64) (err error) {
	free, err := t.claim(ctx, till)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	return t.refundLocked(ctx, till, cents, fee)
}

func (t *Tills) refundLocked(ctx context.Context, till, cents, fee int64) error {
	if err := t.addLocked(ctx, till, -cents); err != nil {
		return err
	}
	return t.addLocked(ctx, till, fee)
}

func (t *Tills) addLocked(ctx context.Context, till, cents int64) error {
	have, err := t.safe.Cash(ctx, till)
	if err != nil {
		return err
	}
	return t.safe.SetCash(ctx, till, have+cents)
}
