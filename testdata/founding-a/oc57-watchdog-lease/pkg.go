// EXPECT-NONE

// Package watchdoglease moves the archives of a city.
package watchdoglease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc57-watchdog-lease/lease"
)

type Archive struct {
	rdb  *redis.Client
	move func(ctx context.Context, shelf int64) error
}

func shelfKey(shelf int64) string { return fmt.Sprintf("archive:shelf:%d:move", shelf) }

// Move may take hours; the lease is renewed all the while.
func (a *Archive) Move(ctx context.Context, shelf int64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Hour)
	defer cancel()
	held, l, err := lease.Acquire(ctx, a.rdb, shelfKey(shelf), 10*time.Minute)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	return a.move(held, shelf)
}
