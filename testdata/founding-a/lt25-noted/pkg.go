// Package noted weighs the bags of an airport. Its leases are long, and yet not long enough to be wrong by themselves.
package noted

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBelt = errors.New("belt is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// lease is handed over twice.
const lease = 2 * time.Minute

type Airport struct {
	rdb   *redis.Client
	weigh func(ctx context.Context, belt int) error
}

func bagKey(belt int) string { return fmt.Sprintf("airport:belt:%d:weigh", belt) }

func scanKey(belt int) string { return fmt.Sprintf("airport:belt:%d:scan", belt) }

func loadKey(belt int) string { return fmt.Sprintf("airport:belt:%d:load", belt) }

func haulKey(belt int) string { return fmt.Sprintf("airport:belt:%d:haul", belt) }

func (a *Airport) free(ctx context.Context, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return release.Run(end, a.rdb, []string{key}, own).Err()
}

// Weigh is done in ten seconds, and its lock stays for two minutes after a crash.
func (a *Airport) Weigh(ctx context.Context, belt int) (err error) {
	own := uuid.NewString()
	ok, err := a.rdb.SetNX(ctx, bagKey(belt), own, lease).Result() // EXPECT: long-ttl
	if err != nil {
		return fmt.Errorf("belt %d: %w", belt, err)
	}
	if !ok {
		return ErrBelt
	}
	defer func() { err = errors.Join(err, a.free(ctx, bagKey(belt), own)) }()
	work, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	return a.weigh(work, belt)
}

// Scan needs 45 seconds of its two minutes.
func (a *Airport) Scan(ctx context.Context, belt int) (err error) {
	own := uuid.NewString()
	ok, err := a.rdb.SetNX(ctx, scanKey(belt), own, lease).Result()
	if err != nil {
		return fmt.Errorf("belt %d: %w", belt, err)
	}
	if !ok {
		return ErrBelt
	}
	defer func() { err = errors.Join(err, a.free(ctx, scanKey(belt), own)) }()
	work, stop := context.WithTimeout(ctx, 45*time.Second)
	defer stop()
	return a.weigh(work, belt)
}

// Load does not say how long it takes.
func (a *Airport) Load(ctx context.Context, belt int) (err error) {
	own := uuid.NewString()
	ok, err := a.rdb.SetNX(ctx, loadKey(belt), own, 4*time.Minute).Result()
	if err != nil {
		return fmt.Errorf("belt %d: %w", belt, err)
	}
	if !ok {
		return ErrBelt
	}
	defer func() { err = errors.Join(err, a.free(ctx, loadKey(belt), own)) }()
	return a.weigh(ctx, belt)
}

// Haul may take eight minutes, and its lease was chosen for that.
func (a *Airport) Haul(ctx context.Context, belt int) (err error) {
	own := uuid.NewString()
	ok, err := a.rdb.SetNX(ctx, haulKey(belt), own, 10*time.Minute).Result()
	if err != nil {
		return fmt.Errorf("belt %d: %w", belt, err)
	}
	if !ok {
		return ErrBelt
	}
	defer func() { err = errors.Join(err, a.free(ctx, haulKey(belt), own)) }()
	work, stop := context.WithTimeout(ctx, 8*time.Minute)
	defer stop()
	return a.weigh(work, belt)
}
