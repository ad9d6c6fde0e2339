// Package marketstalls runs a market.
package marketstalls

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.test/foundingb/lk03-market-stalls/names"
	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBusy = errors.New("somebody else is at it")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Market does the work.
type Market interface {
	Rent(ctx context.Context, stall int64) error
	Return(ctx context.Context, stall int64) error
	Pack(ctx context.Context, customer int64) error
	Weigh(ctx context.Context, customer int64) error
	Fill(ctx context.Context, shelf int64) error
	Clean(ctx context.Context, shelf int64) error
	Hire(ctx context.Context, porter int64) error
	Pay(ctx context.Context, porter int64) error
}

type Office struct {
	cli    redis.UniversalClient
	market Market
}

func (o *Office) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := o.cli.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, o.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Rent lets a stall.
func (o *Office) Rent(ctx context.Context, stall int64) error {
	return o.hold(ctx, names.Stall(stall), func(ctx context.Context) error { return o.market.Rent(ctx, stall) })
}

// Return takes a stall back.
func (o *Office) Return(ctx context.Context, stall int64) error {
	// ALSO-OK: duplicate-prefix
	key := strings.Join([]string{"stall", "rent", strconv.FormatInt(stall, 10)}, ":") // EXPECT: key-from-strings
	return o.hold(ctx, key, func(ctx context.Context) error { return o.market.Return(ctx, stall) })
}

// Pack packs a basket.
func (o *Office) Pack(ctx context.Context, customer int64) error {
	return o.hold(ctx, names.Basket(customer), func(ctx context.Context) error { return o.market.Pack(ctx, customer) })
}

// Weigh weighs a basket.
func (o *Office) Weigh(ctx context.Context, customer int64) error {
	var b strings.Builder
	b.WriteString("basket:of:")                                                                              // EXPECT: duplicate-prefix, key-from-strings
	b.WriteString(strconv.FormatInt(customer, 10))                                                           // ALSO-OK: key-from-strings
	return o.hold(ctx, b.String(), func(ctx context.Context) error { return o.market.Weigh(ctx, customer) }) // ALSO-OK: key-from-strings
}

// Fill fills a shelf.
func (o *Office) Fill(ctx context.Context, shelf int64) error {
	return o.hold(ctx, names.Shelf(shelf), func(ctx context.Context) error { return o.market.Fill(ctx, shelf) })
}

// Clean cleans a shelf.
func (o *Office) Clean(ctx context.Context, shelf int64) error {
	key := fmt.Sprint("shelf:fill:", shelf) // EXPECT: duplicate-prefix, key-from-strings
	return o.hold(ctx, key, func(ctx context.Context) error { return o.market.Clean(ctx, shelf) })
}

// Hire hires a porter.
func (o *Office) Hire(ctx context.Context, porter int64) error {
	return o.hold(ctx, names.Porter(porter), func(ctx context.Context) error { return o.market.Hire(ctx, porter) })
}

// Pay pays a porter.
func (o *Office) Pay(ctx context.Context, porter int64) error {
	key := strconv.AppendInt([]byte("porter:job:"), porter, 10) // EXPECT: duplicate-prefix, key-from-strings
	return o.hold(ctx, string(key), func(ctx context.Context) error { return o.market.Pay(ctx, porter) })
}
