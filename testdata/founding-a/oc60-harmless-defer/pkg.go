// EXPECT-NONE

// Package harmlessdefer feeds the animals of a zoo. Its releases run whatever came out of acquiring, and compare.
package harmlessdefer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrFeeding = errors.New("animal is being fed")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Zoo struct {
	rdb  *redis.Client
	feed func(ctx context.Context, cage int) error
}

func cageKey(cage int) string { return fmt.Sprintf("zoo:cage:%d:feed", cage) }

func hayKey(cage int) string { return fmt.Sprintf("zoo:hay:%d", cage) }

func (z *Zoo) free(ctx context.Context, key, own string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	n, err := release.Run(end, z.rdb, []string{key}, own).Int()
	slog.Debug("freed", "key", key, "n", n, "err", err)
}

// Feed defers first: if the answer of Redis is lost on the way, the key may be ours all the same.
func (z *Zoo) Feed(ctx context.Context, cage int) error {
	own := uuid.NewString()
	defer z.free(ctx, cageKey(cage), own)
	ok, err := z.rdb.SetNX(ctx, cageKey(cage), own, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("cage %d: %w", cage, err)
	}
	if !ok {
		return ErrFeeding
	}
	return z.feed(ctx, cage)
}

// Hay frees its key after an outage, when nobody knows whether the key was stored.
func (z *Zoo) Hay(ctx context.Context, cage int) error {
	own := uuid.NewString()
	ok, err := z.rdb.SetNX(ctx, hayKey(cage), own, 20*time.Second).Result()
	if err != nil {
		z.free(ctx, hayKey(cage), own)
		return fmt.Errorf("hay %d: %w", cage, err)
	}
	if !ok {
		return ErrFeeding
	}
	defer z.free(ctx, hayKey(cage), own)
	return z.feed(ctx, cage)
}
