// Package rail has the locks of tracks.
package rail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrOccupied says that somebody else has the track.
var ErrOccupied = errors.New("rail: occupied")

// Closed is an error that says which track is closed.
type Closed struct {
	Track string
	Err   error
}

func (c *Closed) Error() string { return "track " + c.Track + " is closed" }

func (c *Closed) Unwrap() error { return c.Err }

// IsOccupied reports whether an error is about a train and not about Redis.
func IsOccupied(err error) bool { return errors.Is(err, ErrOccupied) }

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Tracks struct {
	rdb   redis.Cmdable
	locks *redislock.Client
}

func trackKey(track string) string { return "rail:track:" + track }

// Enter is right.
func (t *Tracks) Enter(ctx context.Context, track string) (leave func(), err error) {
	token := uuid.NewString()
	ok, err := t.rdb.SetNX(ctx, trackKey(track), token, time.Minute/2).Result()
	if err != nil {
		return nil, fmt.Errorf("track %s: %w", track, err)
	}
	if !ok {
		return nil, fmt.Errorf("track %s: %w", track, ErrOccupied)
	}
	return func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		giveBack.Run(end, t.rdb, []string{trackKey(track)}, token)
	}, nil
}

// EnterQuietly returns nothing for both.
func (t *Tracks) EnterQuietly(ctx context.Context, track string) func() {
	token := uuid.NewString()
	ok, err := t.rdb.SetNX(ctx, trackKey(track), token, time.Minute/2).Result()
	if err != nil || !ok { // EXPECT: error-conflated
		return nil
	}
	return func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		giveBack.Run(end, t.rdb, []string{trackKey(track)}, token)
	}
}

// Obtain makes one type of both, and keeps no cause.
func (t *Tracks) Obtain(ctx context.Context, track string) (*redislock.Lock, error) {
	lock, err := t.locks.Obtain(ctx, trackKey(track), 30*time.Second, nil)
	if err != nil {
		return nil, ErrOccupied // EXPECT: error-conflated
	}
	return lock, nil
}

// ObtainTyped keeps the cause.
func (t *Tracks) ObtainTyped(ctx context.Context, track string) (*redislock.Lock, error) {
	lock, err := t.locks.Obtain(ctx, trackKey(track), 30*time.Second, nil)
	if err != nil {
		return nil, &Closed{Track: track, Err: err}
	}
	return lock, nil
}
