// EXPECT-NONE

// Package kiosk tries again until its key is free, and stops when a channel brings an error.
package kiosk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var giveUp = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

// Kiosk prints tickets.
type Kiosk struct {
	rdb    *redis.Client
	faults chan error
}

func kioskKey(id string) string { return "kiosk:{" + id + "}" }

// Print prints one ticket at a time.
func (k *Kiosk) Print(ctx context.Context, id string, paper func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		ok, err := k.rdb.SetNX(ctx, kioskKey(id), owner, time.Minute).Result()
		if err != nil {
			return fmt.Errorf("kiosk %s: %w", id, err)
		}
		if ok {
			break
		}
		select {
		case fault := <-k.faults:
			if fault != nil {
				return fmt.Errorf("printer: %w", fault)
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second + rand.N(time.Second)):
		}
	}
	defer func() {
		if _, e := giveUp.Run(context.WithoutCancel(ctx), k.rdb, []string{kioskKey(id)}, owner).Result(); e != nil && err == nil {
			err = e
		}
	}()
	return paper(ctx)
}
