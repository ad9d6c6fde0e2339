// Package tollgate books tolls. A lane is booked by one instance at a time.
package tollgate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrLane = errors.New("lane is being booked")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Config says what to do without Redis.
type Config struct {
	OpenOnOutage bool
}

type Gate struct {
	rdb   redis.UniversalClient
	locks *redislock.Client
	cfg   Config
	book  func(ctx context.Context, lane int64) error
}

func laneKey(lane int64) string { return fmt.Sprintf("toll:lane:%d", lane) }

func (g *Gate) free(ctx context.Context, lane int64, token string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	giveBack.Run(end, g.rdb, []string{laneKey(lane)}, token)
}

// Book stops only for a lane that is taken.
func (g *Gate) Book(ctx context.Context, lane int64) error {
	token := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	if err == nil && !ok { // EXPECT: fail-open
		return ErrLane
	}
	defer g.free(ctx, lane, token)
	return g.book(ctx, lane)
}

// BookNoisily logs an error and goes on.
func (g *Gate) BookNoisily(ctx context.Context, lane int64) (err error) {
	token := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	if err != nil { // EXPECT: fail-open
		slog.ErrorContext(ctx, "redis", "lane", lane, "err", err)
	} else if !ok {
		return ErrLane
	}
	defer g.free(ctx, lane, token)
	err = g.book(ctx, lane)
	return err
}

// BookHandle asks for the sentinel and for nothing else.
func (g *Gate) BookHandle(ctx context.Context, lane int64) error {
	lock, err := g.locks.Obtain(ctx, laneKey(lane), 30*time.Second, nil)
	if errors.Is(err, redislock.ErrNotObtained) { // EXPECT: fail-open
		return ErrLane
	}
	if lock != nil {
		defer lock.Release(context.WithoutCancel(ctx))
	}
	return g.book(ctx, lane)
}

// enter says yes when Redis is away.
func (g *Gate) enter(ctx context.Context, lane int64, token string) bool {
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	if err != nil { // EXPECT: fail-open
		return true
	}
	return ok
}

// BookEntered relies on enter.
func (g *Gate) BookEntered(ctx context.Context, lane int64) error {
	token := uuid.NewString()
	if !g.enter(ctx, lane, token) {
		return ErrLane
	}
	defer g.free(ctx, lane, token)
	return g.book(ctx, lane)
}

// With runs work, in an outage too.
func (g *Gate) With(ctx context.Context, lane int64, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	switch {
	case err != nil: // EXPECT: fail-open
		return work(ctx)
	case !ok:
		return ErrLane
	}
	defer g.free(ctx, lane, token)
	return work(ctx)
}

// BookBestEffort says what it does: a note.
func (g *Gate) BookBestEffort(ctx context.Context, lane int64) error {
	token := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	if err != nil { // EXPECT: fail-open(arguable)
		slog.Warn("redis is away, booking without the lock", "lane", lane, "err", err)
	} else if !ok {
		return ErrLane
	}
	defer g.free(ctx, lane, token)
	return g.book(ctx, lane)
}

// BookBySetting asks the configuration, and is right.
func (g *Gate) BookBySetting(ctx context.Context, lane int64) error {
	token := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	if err != nil {
		if !g.cfg.OpenOnOutage {
			return err
		}
		return g.book(ctx, lane)
	}
	if !ok {
		return ErrLane
	}
	defer g.free(ctx, lane, token)
	return g.book(ctx, lane)
}

// BookStrict is right.
func (g *Gate) BookStrict(ctx context.Context, lane int64) error {
	token := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	if err == nil && !ok {
		return ErrLane
	}
	if err != nil {
		return err
	}
	defer g.free(ctx, lane, token)
	return g.book(ctx, lane)
}

// BookBackwards is right: what is not ours is not booked, whatever the reason, and the reason is told.
func (g *Gate) BookBackwards(ctx context.Context, lane int64) error {
	token := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, laneKey(lane), token, 30*time.Second).Result()
	if ok && err == nil {
		defer g.free(ctx, lane, token)
		return g.book(ctx, lane)
	}
	return errors.Join(err, ErrLane)
}

// BookOrTell is right: the error of Redis is counted in a branch that leaves.
func (g *Gate) BookOrTell(ctx context.Context, lane int64, failed func(error)) error {
	lock, err := g.locks.Obtain(ctx, laneKey(lane), 30*time.Second, nil)
	switch {
	case errors.Is(err, redislock.ErrNotObtained):
		return ErrLane
	case err != nil:
		failed(err)
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return g.book(ctx, lane)
}

// BookWithoutRedis is right: there is nothing to ask.
func (g *Gate) BookWithoutRedis(ctx context.Context, lane int64) error {
	if g.rdb == nil {
		return g.book(ctx, lane)
	}
	return g.BookStrict(ctx, lane)
}
