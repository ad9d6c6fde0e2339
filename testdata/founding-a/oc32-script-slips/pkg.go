// EXPECT-NONE

// Package scriptslips moves the points of a model railway.
package scriptslips

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"

	"example.test/foundinga/oc32-script-slips/give"
)

var ErrMoving = errors.New("is being moved")

type back func(ctx context.Context, c redis.Cmdable, key, own string) error

type Railway struct {
	rdb  *redis.Client
	move func(ctx context.Context, id int64) error
}

func pointKey(id int64) string { return fmt.Sprintf("railway:point:%d", id) }

func signalKey(id int64) string { return fmt.Sprintf("railway:signal:%d", id) }

func barrierKey(id int64) string { return fmt.Sprintf("railway:barrier:%d", id) }

func bridgeKey(id int64) string { return fmt.Sprintf("railway:bridge:%d", id) }

func (r *Railway) Point(ctx context.Context, id int64) error {
	return r.alone(ctx, id, pointKey(id), give.Back)
}

func (r *Railway) Signal(ctx context.Context, id int64) error {
	return r.alone(ctx, id, signalKey(id), give.Again)
}

func (r *Railway) Barrier(ctx context.Context, id int64) error {
	return r.alone(ctx, id, barrierKey(id), give.Later)
}

func (r *Railway) Bridge(ctx context.Context, id int64) error {
	return r.alone(ctx, id, bridgeKey(id), give.Right)
}

func (r *Railway) alone(ctx context.Context, id int64, key string, b back) (err error) {
	own := uuid.NewString()
	ok, err := r.rdb.SetNX(ctx, key, own, 10*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrMoving
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, b(end, r.rdb, key, own))
	}()
	return r.move(ctx, id)
}
