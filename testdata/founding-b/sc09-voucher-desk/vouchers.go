// Package voucherdesk redeems vouchers.
package voucherdesk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("voucher is being redeemed")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Register stores what is left on a voucher.
type Register interface {
	Left(ctx context.Context, voucher int64) (cents int64, err error)
	SetLeft(ctx context.Context, voucher, cents int64) error
}

type Desk struct {
	rdb      redis.UniversalClient
	register Register
}

func voucherKey(voucher int64) string { return fmt.Sprintf("voucher:%d:redeem", voucher) }

func (d *Desk) with(ctx context.Context, key string, fn func() error) (err error) {
	owner := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, d.rdb, []string{key}, owner).Err())
	}()
	return fn()
}

// Redeem takes an amount from a voucher.
func (d *Desk) Redeem(ctx context.Context, voucher, cents int64) error {
	return d.with(ctx, voucherKey(voucher), func() error { return d.redeem(ctx, voucher, cents) })
}

func (d *Desk) redeem(ctx context.Context, voucher, cents int64) error {
	left, err := d.register.Left(ctx, voucher)
	if err != nil {
		return err
	}
	if left < cents {
		return fmt.Errorf("voucher %d holds %d cents", voucher, left)
	}
	return d.register.SetLeft(ctx, voucher, left-cents)
}

// RedeemAll takes an amount from the first vouchers that hold it.
func (d *Desk) RedeemAll(ctx context.Context, vouchers []int64, cents int64) error {
	for _, v := range vouchers {
		if err := d.redeem(ctx, v, cents); err != nil { // EXPECT: self-call
			return err
		}
	}
	return nil
}
