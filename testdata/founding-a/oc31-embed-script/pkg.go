// Package embedscript sells seats.
package embedscript

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc31-embed-script/script"
)

var ErrSeat = errors.New("seat is being sold")

type Box struct {
	rdb  redis.UniversalClient
	sell func(ctx context.Context, seat int64) error
}

func seatKey(seat int64) string { return fmt.Sprintf("box:{%d}:sell", seat) }

func aisleKey(seat int64) string { return fmt.Sprintf("box:{%d}:aisle", seat) }

func (b *Box) take(ctx context.Context, key string) (string, error) {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, key, own, 20*time.Second).Result()
	if err != nil {
		return "", err
	}
	if !ok {
		return "", ErrSeat
	}
	return own, nil
}

// Sell sells a seat; its release forgets the counter.
func (b *Box) Sell(ctx context.Context, seat int64) (err error) {
	own, err := b.take(ctx, seatKey(seat))
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, script.Counting.Run(end, b.rdb, []string{seatKey(seat)}, own).Err()) // EXPECT: broken-release
	}()
	return b.sell(ctx, seat)
}

// SellAisle sells a seat at the aisle.
func (b *Box) SellAisle(ctx context.Context, seat int64) (err error) {
	own, err := b.take(ctx, aisleKey(seat))
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, script.Plain.Run(end, b.rdb, []string{aisleKey(seat)}, own).Err())
	}()
	return b.sell(ctx, seat)
}
