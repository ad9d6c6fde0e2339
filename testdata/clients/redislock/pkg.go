// Package quarry blasts, with bsm/redislock.
package quarry

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

var errBlasting = errors.New("face is being blasted")

type Quarry struct {
	rdb    *redis.Client
	locker *redislock.Client
}

func faceKey(face string) string { return "quarry:face:" + face }

func roadKey(road string) string { return "quarry:road:" + road }

func millKey(mill string) string { return "quarry:mill:" + mill }

func truckKey(truck string) string { return "quarry:truck:" + truck }

// Face blasts a face, and holds it until the dust has settled.
func (q *Quarry) Face(ctx context.Context, face string, blast func(context.Context) error) error {
	l, err := q.locker.Obtain(ctx, faceKey(face), 40*time.Second, &redislock.Options{
		RetryStrategy: redislock.LimitRetry(redislock.ExponentialBackoff(20*time.Millisecond, time.Second), 5), Metadata: "blast",
	})
	if errors.Is(err, redislock.ErrNotObtained) {
		return errBlasting
	}
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	if err := blast(ctx); err != nil {
		return err
	}
	if left, err := l.TTL(ctx); err != nil || left < 10*time.Second {
		return errors.Join(err, l.Refresh(ctx, 40*time.Second, nil))
	}
	return nil
}

// Road clears a road; the key is deleted past the library.
func (q *Quarry) Road(ctx context.Context, road string, clear func(context.Context) error) error {
	if _, err := redislock.Obtain(ctx, q.rdb, roadKey(road), 40*time.Second, nil); err != nil {
		return errors.Join(errBlasting, err)
	}
	defer q.rdb.Del(context.WithoutCancel(ctx), roadKey(road)) // EXPECT: ownerless-release
	return clear(ctx)
}

// Mill runs a mill, as a miller that all millers are.
func (q *Quarry) Mill(ctx context.Context, mill string, grind func(context.Context) error) error {
	l, err := q.locker.Obtain(ctx, millKey(mill), 40*time.Second, &redislock.Options{Token: "miller"}) // EXPECT: constant-owner
	if err != nil {
		return errors.Join(errBlasting, err)
	}
	defer l.Release(context.WithoutCancel(ctx))
	return grind(ctx)
}

// Truck loads a truck for half an hour, and nobody renews it.
func (q *Quarry) Truck(ctx context.Context, truck string, load func(context.Context) error) error {
	l, err := q.locker.Obtain(ctx, truckKey(truck), 30*time.Minute, nil) // EXPECT: long-ttl
	if err != nil {
		return errors.Join(errBlasting, err)
	}
	defer func() {
		if err := l.Release(context.WithoutCancel(ctx)); err != nil && !errors.Is(err, redislock.ErrLockNotHeld) {
			panic(err)
		}
	}()
	return load(ctx)
}
