// EXPECT-NONE

// Package warehousecount counts what is in the bins of a warehouse.
package warehousecount

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("warehouse is being counted")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Bins stores how much lies in a bin.
type Bins interface {
	Of(ctx context.Context, warehouse int64) ([]int64, error)
	Quantity(ctx context.Context, bin int64) (int, error)
	SetQuantity(ctx context.Context, bin int64, n int) error
}

// Scanner counts with a camera.
type Scanner interface {
	Scan(ctx context.Context, bin int64) (int, error)
}

type Counter struct {
	rdb  *redis.Client
	bins Bins
	scan Scanner
}

func warehouseKey(warehouse int64) string { return fmt.Sprintf("warehouse:%d:count", warehouse) }

func (c *Counter) counting(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, key, owner, 50*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, c.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	return fn(work)
}

// Bin counts one bin.
func (c *Counter) Bin(ctx context.Context, warehouse, bin int64) error {
	return c.counting(ctx, warehouseKey(warehouse), func(ctx context.Context) error { return c.count(ctx, bin) })
}

// All counts all bins; it holds the warehouse once for all of them.
func (c *Counter) All(ctx context.Context, warehouse int64) error {
	return c.counting(ctx, warehouseKey(warehouse), func(ctx context.Context) error {
		bins, err := c.bins.Of(ctx, warehouse)
		if err != nil {
			return err
		}
		for _, bin := range bins {
			if err := c.count(ctx, bin); err != nil {
				return fmt.Errorf("bin %d: %w", bin, err)
			}
		}
		return nil
	})
}

func (c *Counter) count(ctx context.Context, bin int64) error {
	seen, err := c.scan.Scan(ctx, bin)
	if err != nil {
		return err
	}
	have, err := c.bins.Quantity(ctx, bin)
	if err != nil || have == seen {
		return err
	}
	return c.bins.SetQuantity(ctx, bin, seen)
}
