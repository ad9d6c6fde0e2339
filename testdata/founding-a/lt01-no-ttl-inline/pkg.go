// Package nottlinline loads the trucks of a brewery.
package nottlinline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrRamp = errors.New("ramp is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Brewery struct {
	rdb  *redis.Client
	load func(ctx context.Context, ramp int) error
}

func rampKey(ramp int) string { return fmt.Sprintf("brewery:ramp:%d", ramp) }

func kegKey(ramp int) string { return fmt.Sprintf("brewery:keg:%d", ramp) }

func cellarKey(ramp int) string { return fmt.Sprintf("brewery:cellar:%d", ramp) }

func yardKey(ramp int) string { return fmt.Sprintf("brewery:yard:%d", ramp) }

func (b *Brewery) free(ctx context.Context, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return release.Run(end, b.rdb, []string{key}, own).Err()
}

// Load trusts that every process lives to give the ramp back.
func (b *Brewery) Load(ctx context.Context, ramp int) (err error) {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, rampKey(ramp), own, 0).Result() // EXPECT: no-ttl
	if err != nil {
		return fmt.Errorf("ramp %d: %w", ramp, err)
	}
	if !ok {
		return ErrRamp
	}
	defer func() { err = errors.Join(err, b.free(ctx, rampKey(ramp), own)) }()
	return b.load(ctx, ramp)
}

// Roll rolls kegs to a ramp.
func (b *Brewery) Roll(ctx context.Context, ramp int) (err error) {
	own := uuid.NewString()
	err = b.rdb.SetArgs(ctx, kegKey(ramp), own, redis.SetArgs{Mode: "NX"}).Err() // EXPECT: no-ttl
	switch {
	case errors.Is(err, redis.Nil):
		return ErrRamp
	case err != nil:
		return fmt.Errorf("kegs %d: %w", ramp, err)
	}
	defer func() { err = errors.Join(err, b.free(ctx, kegKey(ramp), own)) }()
	return b.load(ctx, ramp)
}

// Cool keeps the TTL of a key that is not there.
func (b *Brewery) Cool(ctx context.Context, ramp int) (err error) {
	own := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, cellarKey(ramp), own, redis.KeepTTL).Result() // EXPECT: no-ttl
	if err != nil {
		return fmt.Errorf("cellar %d: %w", ramp, err)
	}
	if !ok {
		return ErrRamp
	}
	defer func() { err = errors.Join(err, b.free(ctx, cellarKey(ramp), own)) }()
	return b.load(ctx, ramp)
}

// Sweep gives the time at which the key ends instead of a TTL.
func (b *Brewery) Sweep(ctx context.Context, ramp int) (err error) {
	own := uuid.NewString()
	args := redis.SetArgs{Mode: "NX", ExpireAt: time.Now().Add(30 * time.Second)}
	err = b.rdb.SetArgs(ctx, yardKey(ramp), own, args).Err()
	if errors.Is(err, redis.Nil) {
		return ErrRamp
	}
	if err != nil {
		return fmt.Errorf("yard %d: %w", ramp, err)
	}
	defer func() { err = errors.Join(err, b.free(ctx, yardKey(ramp), own)) }()
	return b.load(ctx, ramp)
}
