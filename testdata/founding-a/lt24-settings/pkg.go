// Package settings lights the lamps of a lighthouse for as long as its settings say.
package settings

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"example.test/foundinga/lt24-settings/env"
)

var ErrLamp = errors.New("lamp is being lit")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Options of the lighthouse.
type Options struct {
	Lease time.Duration
}

// Lighthouse lights lamps.
type Lighthouse struct {
	rdb  *redis.Client
	opts Options
	lit  func(ctx context.Context, lamp int) error
}

// New puts a lease in the place of none.
func New(rdb *redis.Client, opts Options, lit func(context.Context, int) error) *Lighthouse {
	if opts.Lease == 0 {
		opts.Lease = 20 * time.Second
	}
	return &Lighthouse{rdb: rdb, opts: opts, lit: lit}
}

// Small lighthouses have a lease by default.
func Small(rdb *redis.Client, lit func(context.Context, int) error) *Lighthouse {
	return New(rdb, Options{}, lit)
}

// Tall ones have it from the environment.
func Tall(rdb *redis.Client, lit func(context.Context, int) error) *Lighthouse {
	lease := env.Duration("LAMP_LEASE", 45*time.Minute) // ALSO-OK: long-ttl
	return New(rdb, Options{Lease: lease}, lit)         // EXPECT: long-ttl
}

// Old ones have a flag, which counts seconds.
func Old(rdb *redis.Client, flags *flag.FlagSet, args []string, lit func(context.Context, int) error) (*Lighthouse, error) {
	seconds := flags.Int("lease", 3600, "seconds that a lamp stays locked") // ALSO-OK: long-ttl
	quick := flags.Bool("quick", false, "light quickly")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if *quick {
		return New(rdb, Options{Lease: 15 * time.Second}, lit), nil
	}

	return New(rdb, Options{Lease: time.Duration(*seconds) * time.Second}, lit), nil // EXPECT: long-ttl
}

func lampKey(lamp int) string { return fmt.Sprintf("lighthouse:lamp:%d", lamp) }

// Light lights a lamp.
func (l *Lighthouse) Light(ctx context.Context, lamp int) (err error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, lampKey(lamp), own, l.opts.Lease).Result()
	if err != nil {
		return fmt.Errorf("lamp %d: %w", lamp, err)
	}
	if !ok {
		return ErrLamp
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, l.rdb, []string{lampKey(lamp)}, own).Err())
	}()
	return l.lit(ctx, lamp)
}
