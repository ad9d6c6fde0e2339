// Package ovenwords bakes bread in ovens that several shifts share.
package ovenwords

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrHot = errors.New("oven is in use")

type Bakery struct {
	rdb  redis.Cmdable
	do   func(ctx context.Context, words ...any) *redis.Cmd
	bake func(ctx context.Context, oven int) error
}

// New keeps the client's Do for commands that Cmdable does not have.
func New(rdb *redis.Client, bake func(ctx context.Context, oven int) error) *Bakery {
	return &Bakery{rdb: rdb, do: rdb.Do, bake: bake}
}

func ovenKey(oven int) string { return fmt.Sprintf("bakery:oven:%d", oven) }

func stoneKey(oven int) string { return fmt.Sprintf("bakery:stone:%d", oven) }

// heat takes an oven and returns how to give it back.
func (b *Bakery) heat(ctx context.Context, oven int) (cool func(), err error) {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, ovenKey(oven), own, 55*time.Second).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrHot
	}
	return func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		now, err := b.do(end, "GET", ovenKey(oven)).Text()
		if err == nil && now == own {
			err = b.do(end, "DEL", ovenKey(oven)).Err() // EXPECT: nonatomic-release
		}
		slog.Debug("oven is cool", "oven", oven, "err", err)
	}, nil
}

// Bake bakes one load.
func (b *Bakery) Bake(ctx context.Context, oven int) error {
	cool, err := b.heat(ctx, oven)
	if err != nil {
		return fmt.Errorf("oven %d: %w", oven, err)
	}
	defer cool()
	return b.bake(ctx, oven)
}

// Sweep sweeps the stone. The script only reads; what it read is compared here.
func (b *Bakery) Sweep(ctx context.Context, oven int) error {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, stoneKey(oven), own, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("stone %d: %w", oven, err)
	}
	if !ok {
		return ErrHot
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		now, err := b.rdb.Eval(end, `return redis.call("GET", KEYS[1])`, []string{stoneKey(oven)}).Text()
		if err != nil || now != own {
			return
		}
		b.rdb.Unlink(end, stoneKey(oven)) // EXPECT: nonatomic-release
	}()
	return b.bake(ctx, oven)
}
