// Package dock is where boats lie.
package dock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrFull = errors.New("somebody moors there")

type Dock interface {
	Take(ctx context.Context, berth int64) error
	Give(ctx context.Context, berth int64) error
}

type dock struct{ rdb redis.Cmdable }

func New(rdb redis.Cmdable) Dock { return dock{rdb} }

func berthKey(berth int64) string { return fmt.Sprintf("lake:berth:%d", berth) }

func newOwner() string { return uuid.NewString() }

func (d dock) Take(ctx context.Context, berth int64) error {
	ok, err := d.rdb.SetNX(ctx, berthKey(berth), newOwner(), 15*time.Second).Result()
	if err == nil && !ok {
		err = ErrFull
	}
	return err
}

// Give makes an owner of its own, which never stands there.
func (d dock) Give(ctx context.Context, berth int64) error {
	own := newOwner()
	_, err := d.rdb.DelExArgs(ctx, berthKey(berth), redis.DelExArgs{Mode: "IFEQ", MatchValue: own}).Result() // EXPECT: broken-release
	return err
}
