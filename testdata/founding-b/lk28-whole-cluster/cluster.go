// EXPECT-NONE

// Package wholecluster has work that is done once for all, and work whose key follows from what it is given.
package wholecluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var (
	ErrBusy    = errors.New("somebody else is at it")
	ErrUnknown = errors.New("no such order")
)

// The locks that exist once.
const (
	leaderKey = "cluster-leader"
	vacuumKey = "vacuum-all"
	rollupKey = "rollup-daily"
	importKey = "catalogue-import"
	balance   = "rebalance-shards"
)

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Order is an order of a customer.
type Order struct {
	ID       int64
	Customer int64
}

// Work does the work.
type Work interface {
	Lead(ctx context.Context) error
	Vacuum(ctx context.Context, dryRun bool) error
	Rollup(ctx context.Context, day time.Time) error
	Import(ctx context.Context, articles []int64) error
	Balance(ctx context.Context, limit int) error
	Ship(ctx context.Context, order int64) error
	Cancel(ctx context.Context, o Order) error
	CustomerOf(ctx context.Context, order int64) (int64, error)
}

type Cluster struct {
	cli  redis.UniversalClient
	work Work
}

func (c *Cluster) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := c.cli.SetNX(ctx, key, owner, 45*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, c.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	return fn(work)
}

// Lead does what the leader does.
func (c *Cluster) Lead(ctx context.Context) error { return c.hold(ctx, leaderKey, c.work.Lead) }

// Vacuum removes what is old, everywhere.
func (c *Cluster) Vacuum(ctx context.Context, dryRun bool) error {
	return c.hold(ctx, vacuumKey, func(ctx context.Context) error { return c.work.Vacuum(ctx, dryRun) })
}

// Rollup sums all shops up.
func (c *Cluster) Rollup(ctx context.Context, day time.Time) error {
	return c.hold(ctx, rollupKey, func(ctx context.Context) error { return c.work.Rollup(ctx, day) })
}

// Import replaces the catalogue.
func (c *Cluster) Import(ctx context.Context, articles []int64) error {
	return c.hold(ctx, importKey, func(ctx context.Context) error { return c.work.Import(ctx, articles) })
}

// Balance moves shards, at most limit of them.
func (c *Cluster) Balance(ctx context.Context, limit int) error {
	return c.hold(ctx, balance, func(ctx context.Context) error { return c.work.Balance(ctx, limit) })
}

// buyerKey is held while the orders of a customer change.
func buyerKey(customer int64) string { return fmt.Sprintf("buyer:%d:orders", customer) }

// Ship ships an order; its key is the customer that it belongs to.
func (c *Cluster) Ship(ctx context.Context, order int64) error {
	customer, err := c.work.CustomerOf(ctx, order)
	if err != nil {
		return err
	}
	if customer == 0 {
		return ErrUnknown
	}
	return c.hold(ctx, buyerKey(customer), func(ctx context.Context) error { return c.work.Ship(ctx, order) })
}

// Cancel cancels an order, under the same key.
func (c *Cluster) Cancel(ctx context.Context, o Order) error {
	return c.hold(ctx, buyerKey(o.Customer), func(ctx context.Context) error { return c.work.Cancel(ctx, o) })
}
