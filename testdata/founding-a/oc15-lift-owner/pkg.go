// EXPECT-NONE

// Package liftowner moves the lifts of a tower.
package liftowner

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc15-lift-owner/hold"
	"example.test/foundinga/oc15-lift-owner/hold/cmds"
)

type shaft int

func shaftKey(s shaft) string { return fmt.Sprintf("tower:shaft:%d", int(s)) }

type Tower struct {
	shafts *hold.Holder[shaft]
	move   func(ctx context.Context, lift, floor int) error
}

func New(rdb *redis.Client, move func(ctx context.Context, lift, floor int) error) *Tower {
	return &Tower{shafts: hold.New(cmds.New(rdb), shaftKey, 30*time.Second), move: move}
}

// Move moves a lift to a floor; one controller at a time moves it.
func (t *Tower) Move(ctx context.Context, lift, floor int) error {
	return t.shafts.With(ctx, shaft(lift), func(ctx context.Context) error {
		return t.move(ctx, lift, floor)
	})
}
