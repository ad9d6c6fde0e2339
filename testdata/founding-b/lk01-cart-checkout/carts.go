// Package cartcheckout sells what customers have put into their carts.
package cartcheckout

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrBusy  = errors.New("cart or gift card is in use")
	ErrInput = errors.New("gift card number required")
)

// giftPrefix is what the lock of a gift card begins with.
const giftPrefix = "giftcard/"

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Shop does the work.
type Shop interface {
	Sell(ctx context.Context, cart int64) error
	Clear(ctx context.Context, cart int64) error
	Merge(ctx context.Context, cart, into int64) error
	Charge(ctx context.Context, card string, cents int64) error
	Block(ctx context.Context, card string) error
}

type Carts struct {
	rdb  *redis.Client
	shop Shop
}

func (c *Carts) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, c.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return fn(work)
}

// Checkout sells a cart.
func (c *Carts) Checkout(ctx context.Context, cart int64) error {
	key := "cart:" + strconv.FormatInt(cart, 10)                                               // EXPECT: key-from-strings
	return c.hold(ctx, key, func(ctx context.Context) error { return c.shop.Sell(ctx, cart) }) // ALSO-OK: key-from-strings
}

// Clear empties a cart.
func (c *Carts) Clear(ctx context.Context, cart int64) error {
	key := "cart:" + strconv.FormatInt(cart, 10)                                                // EXPECT: key-from-strings
	return c.hold(ctx, key, func(ctx context.Context) error { return c.shop.Clear(ctx, cart) }) // ALSO-OK: key-from-strings, duplicate-prefix
}

// Charge takes money from a gift card.
func (c *Carts) Charge(ctx context.Context, card string, cents int64) error {
	if card == "" {
		return ErrInput
	}
	key := giftPrefix + card                                                                            // EXPECT: key-from-strings
	return c.hold(ctx, key, func(ctx context.Context) error { return c.shop.Charge(ctx, card, cents) }) // ALSO-OK: key-from-strings
}

// Block makes a gift card worthless.
func (c *Carts) Block(ctx context.Context, card string) error {
	if card == "" {
		return ErrInput
	}
	key := giftPrefix + card                                                                    // EXPECT: key-from-strings
	return c.hold(ctx, key, func(ctx context.Context) error { return c.shop.Block(ctx, card) }) // ALSO-OK: key-from-strings
}
