// EXPECT-NONE

// Package rightunits gives TTLs in every unit, and in the right one.
package rightunits

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrDoor = errors.New("door is being painted")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

const (
	ttl        = 25 * time.Second
	ttlSeconds = 25
	ttlMillis  = 25_000
)

type Painter struct {
	rdb   *redis.Client
	paint func(ctx context.Context, door int) error
}

func doorKey(door int) string { return fmt.Sprintf("house:door:%d:paint", door) }

// Words returns the end of a SET command.
type Words func() []any

// Ways are all that Paint knows.
var Ways = map[string]Words{
	"seconds":       func() []any { return []any{"EX", int(ttl.Seconds())} },
	"half a minute": func() []any { return []any{"EX", strconv.Itoa(ttlSeconds)} },
	"millis":        func() []any { return []any{"PX", ttl.Milliseconds()} },
	"divided":       func() []any { return []any{"PX", int64(ttl / time.Millisecond)} },
	"number":        func() []any { return []any{"PX", ttlMillis} },
	"clock":         func() []any { return []any{"EXAT", time.Now().Add(ttl).Unix()} },
	"fine clock":    func() []any { return []any{"PXAT", time.Now().Add(ttl).UnixMilli()} },
}

// Paint paints a door with a TTL that was made in one of the ways.
func (p *Painter) Paint(ctx context.Context, door int, way string) error {
	return p.with(ctx, door, func(own string) error {
		words := append([]any{"SET", doorKey(door), own, "NX"}, Ways[way]()...)
		err := p.rdb.Do(ctx, words...).Err()
		if errors.Is(err, redis.Nil) {
			return ErrDoor
		}
		return err
	})
}

// PaintBy paints a door with a TTL in seconds.
func (p *Painter) PaintBy(ctx context.Context, door int, seconds int) error {
	return p.with(ctx, door, func(own string) error {
		return p.take(ctx, door, own, time.Duration(seconds)*time.Second)
	})
}

// PaintFor paints a door with a TTL in milliseconds.
func (p *Painter) PaintFor(ctx context.Context, door int, millis int64) error {
	return p.with(ctx, door, func(own string) error {
		return p.take(ctx, door, own, time.Duration(millis)*time.Millisecond)
	})
}

// PaintQuick paints a door with a TTL in nanoseconds, which are plainly meant.
func (p *Painter) PaintQuick(ctx context.Context, door int) error {
	return p.with(ctx, door, func(own string) error { return p.take(ctx, door, own, 20e9) })
}

func (p *Painter) take(ctx context.Context, door int, own string, d time.Duration) error {
	ok, err := p.rdb.SetNX(ctx, doorKey(door), own, d).Result()
	if err == nil && !ok {
		err = ErrDoor
	}
	return err
}

func (p *Painter) with(ctx context.Context, door int, take func(own string) error) (err error) {
	own := uuid.NewString()
	if err := take(own); err != nil {
		return fmt.Errorf("door %d: %w", door, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, p.rdb, []string{doorKey(door)}, own).Err())
	}()
	return p.paint(ctx, door)
}
