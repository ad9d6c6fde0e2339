// Package watchoutside lets drones start from a roof.
package watchoutside

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrPad = errors.New("pad is in use")

type Roof struct {
	rdb *redis.Client
	fly func(ctx context.Context, pad int) error
}

func padKey(pad int) string { return fmt.Sprintf("roof:pad:%d", pad) }

func chargeKey(pad int) string { return fmt.Sprintf("roof:charger:%d", pad) }

func (r *Roof) take(ctx context.Context, key string) (string, error) {
	own := uuid.NewString()
	ok, err := r.rdb.SetNX(ctx, key, own, 30*time.Second).Result()
	if err != nil {
		return "", fmt.Errorf("take %s: %w", key, err)
	}
	if !ok {
		return "", ErrPad
	}
	return own, nil
}

// Start lets a drone start.
func (r *Roof) Start(ctx context.Context, pad int) error {
	own, err := r.take(ctx, padKey(pad))
	if err != nil {
		return err
	}
	defer r.freePad(context.WithoutCancel(ctx), pad, own)
	return r.fly(ctx, pad)
}

// freePad watches the key, and then deletes it past the watching connection.
func (r *Roof) freePad(ctx context.Context, pad int, own string) {
	end, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	_ = r.rdb.Watch(end, func(tx *redis.Tx) error {
		now, err := tx.Get(end, padKey(pad)).Result()
		if err != nil || now != own {
			return err
		}
		return r.rdb.Del(end, padKey(pad)).Err() // EXPECT: nonatomic-release
	}, padKey(pad))
}

// Charge charges what stands on the pad.
func (r *Roof) Charge(ctx context.Context, pad int) error {
	own, err := r.take(ctx, chargeKey(pad))
	if err != nil {
		return err
	}
	defer r.freeCharger(context.WithoutCancel(ctx), pad, own)
	return r.fly(ctx, pad)
}

// freeCharger watches the key but never begins the transaction that WATCH would guard.
func (r *Roof) freeCharger(ctx context.Context, pad int, own string) {
	end, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	_ = r.rdb.Watch(end, func(tx *redis.Tx) error {
		now, err := tx.Get(end, chargeKey(pad)).Result()
		if err != nil || now != own {
			return err
		}
		return tx.Del(end, chargeKey(pad)).Err() // EXPECT: nonatomic-release
	}, chargeKey(pad))
}
