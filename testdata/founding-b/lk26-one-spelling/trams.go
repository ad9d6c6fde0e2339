// EXPECT-NONE

// Package onespelling drives trams.
package onespelling

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("line, depot or track is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Trams does the work.
type Trams interface {
	Start(ctx context.Context, line int64) error
	Stop(ctx context.Context, line string) error
	Clean(ctx context.Context) error
	Paint(ctx context.Context) error
	Weld(ctx context.Context, track int64) error
	Grind(ctx context.Context, track int64) error
}

type Company struct {
	rdb   redis.UniversalClient
	trams Trams
}

func (c *Company) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, c.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return fn(work)
}

// Start starts a line.
func (c *Company) Start(ctx context.Context, line int64) error {
	slog.InfoContext(ctx, "tram:line: starts", "line", line)
	return c.hold(ctx, tramKey(line), func(ctx context.Context) error { return c.trams.Start(ctx, line) })
}

// Stop stops a line.
func (c *Company) Stop(ctx context.Context, line string) error {
	if line == "" {
		return errors.New("line required")
	}
	return c.hold(ctx, tramTextKey(line), func(ctx context.Context) error { return c.trams.Stop(ctx, line) })
}

// Clean cleans the depot.
func (c *Company) Clean(ctx context.Context) error { return c.hold(ctx, depotKey, c.trams.Clean) }

// Paint paints it.
func (c *Company) Paint(ctx context.Context) error { return c.hold(ctx, depotKey, c.trams.Paint) }

// Weld welds a track.
func (c *Company) Weld(ctx context.Context, track int64) error {
	return c.hold(ctx, trackKey(track), func(ctx context.Context) error { return c.trams.Weld(ctx, track) })
}

// Grind makes a track smooth, at night.
func (c *Company) Grind(ctx context.Context, track int64) error {
	return c.hold(ctx, trackNightKey(track), func(ctx context.Context) error { return c.trams.Grind(ctx, track) })
}
