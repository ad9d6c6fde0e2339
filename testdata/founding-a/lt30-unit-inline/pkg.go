// Package unitinline fires the kilns of a pottery.
package unitinline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrKiln = errors.New("kiln is hot")

const burn = 30 * time.Second

var (
	release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	acquire = redis.NewScript(`
		if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return 1 end
		return 0`)
)

type Pottery struct {
	rdb  *redis.Client
	fire func(ctx context.Context, kiln int) error
}

func kilnKey(kiln int) string { return fmt.Sprintf("pottery:kiln:%d", kiln) }

func wheelKey(kiln int) string { return fmt.Sprintf("pottery:wheel:%d", kiln) }

func glazeKey(kiln int) string { return fmt.Sprintf("pottery:glaze:%d", kiln) }

func shelfKey(kiln int) string { return fmt.Sprintf("pottery:shelf:%d", kiln) }

func clayKey(kiln int) string { return fmt.Sprintf("pottery:clay:%d", kiln) }

func dryKey(kiln int) string { return fmt.Sprintf("pottery:dry:%d", kiln) }

type take func(ctx context.Context, key, own string) error

func (p *Pottery) with(ctx context.Context, kiln int, key string, t take) (err error) {
	own := uuid.NewString()
	if err := t(ctx, key, own); err != nil {
		return fmt.Errorf("kiln %d: %w", kiln, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, p.rdb, []string{key}, own).Err())
	}()
	return p.fire(ctx, kiln)
}

func (p *Pottery) Fire(ctx context.Context, kiln int) error {
	return p.with(ctx, kiln, kilnKey(kiln), p.bare)
}

func (p *Pottery) Turn(ctx context.Context, kiln int) error {
	return p.with(ctx, kiln, wheelKey(kiln), p.millisAsSeconds)
}

func (p *Pottery) Glaze(ctx context.Context, kiln int) error {
	return p.with(ctx, kiln, glazeKey(kiln), p.secondsAsMillis)
}

func (p *Pottery) Shelve(ctx context.Context, kiln int) error {
	return p.with(ctx, kiln, shelfKey(kiln), p.nanosAsMillis)
}

func (p *Pottery) Knead(ctx context.Context, kiln int) error {
	return p.with(ctx, kiln, clayKey(kiln), p.scriptSeconds)
}

func (p *Pottery) Dry(ctx context.Context, kiln int) error {
	return p.with(ctx, kiln, dryKey(kiln), p.right)
}

// bare means seconds and says nanoseconds.
func (p *Pottery) bare(ctx context.Context, key, own string) error {
	ok, err := p.rdb.SetNX(ctx, key, own, 30).Result() // EXPECT: ttl-unit
	if err == nil && !ok {
		err = ErrKiln
	}
	return err
}

func (p *Pottery) millisAsSeconds(ctx context.Context, key, own string) error {
	err := p.rdb.Do(ctx, "SET", key, own, "NX", "EX", burn.Milliseconds()).Err() // EXPECT: ttl-unit // ALSO-OK: long-ttl
	return busy(err)
}

func (p *Pottery) secondsAsMillis(ctx context.Context, key, own string) error {
	err := p.rdb.Do(ctx, "SET", key, own, "NX", "PX", int(burn.Seconds())).Err() // EXPECT: ttl-unit
	return busy(err)
}

// nanosAsMillis hands a Duration over; the client writes its nanoseconds.
func (p *Pottery) nanosAsMillis(ctx context.Context, key, own string) error {
	err := p.rdb.Do(ctx, "SET", key, own, "NX", "PX", burn).Err() // EXPECT: ttl-unit // ALSO-OK: long-ttl
	return busy(err)
}

// scriptSeconds gives seconds to a script that wants milliseconds.
func (p *Pottery) scriptSeconds(ctx context.Context, key, own string) error {
	n, err := acquire.Run(ctx, p.rdb, []string{key}, own, int64(burn/time.Second)).Int() // EXPECT: ttl-unit
	if err == nil && n == 0 {
		err = ErrKiln
	}
	return err
}

func (p *Pottery) right(ctx context.Context, key, own string) error {
	n, err := acquire.Run(ctx, p.rdb, []string{key}, own, burn.Milliseconds()).Int()
	if err == nil && n == 0 {
		err = ErrKiln
	}
	return err
}

func busy(err error) error {
	if errors.Is(err, redis.Nil) {
		return ErrKiln
	}
	return err
}
