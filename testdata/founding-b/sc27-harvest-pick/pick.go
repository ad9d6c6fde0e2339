// Package harvestpick plans which field is picked when.
package harvestpick

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("field is being planned")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Crews sends people to fields.
type Crews interface {
	Sent(ctx context.Context, field int64) (bool, error)
	Send(ctx context.Context, field int64) error
}

type Planner struct {
	rdb   *redis.Client
	crews Crews
}

func fieldKey(field int64) string { return fmt.Sprintf("harvest:field:%d", field) }

func (p *Planner) planning(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := p.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, p.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return fn(work)
}

// Pick sends a crew to a field. With skipLock it does not ask whether somebody else plans the field: that is for the
// farm that runs a single planner.
func (p *Planner) Pick(ctx context.Context, field int64, skipLock bool) error {
	if skipLock {
		return p.pick(ctx, field) // ALSO-OK: self-call
	}
	return p.planning(ctx, fieldKey(field), func(ctx context.Context) error { return p.pick(ctx, field) })
}

func (p *Planner) pick(ctx context.Context, field int64) error {
	sent, err := p.crews.Sent(ctx, field)
	if err != nil || sent {
		return err
	}
	return p.crews.Send(ctx, field)
}

// Farm says how a farm is run.
type Farm struct {
	SinglePlanner bool
	Fields        []int64
}

// PickAll plans all fields of a farm.
func (p *Planner) PickAll(ctx context.Context, farm Farm) error {
	for _, field := range farm.Fields {
		if err := p.Pick(ctx, field, farm.SinglePlanner); err != nil {
			return fmt.Errorf("field %d: %w", field, err)
		}
	}
	return nil
}
