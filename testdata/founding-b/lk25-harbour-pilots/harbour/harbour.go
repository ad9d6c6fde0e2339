// Package harbour has the berths.
package harbour

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrBusy says that a berth, a tug or a lane is in use.
var ErrBusy = errors.New("berth, tug or lane is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Locks holds locks for all packages of the harbour.
type Locks struct{ Client redis.UniversalClient }

// Hold runs fn while key is held.
func (l Locks) Hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := l.Client.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, l.Client, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return fn(work)
}

// Berths does the work.
type Berths interface {
	Moor(ctx context.Context, berth int64) error
	Tow(ctx context.Context, tug int64) error
	Dredge(ctx context.Context, lane int64) error
}

type Harbour struct {
	Locks  Locks
	Berths Berths
}

func berthKey(berth int64) string { return "berth:moor:" + strconv.FormatInt(berth, 10) }

func tugKey(tug int64) string { return fmt.Sprintf("tugboat/%d", tug) }

// Moor moors a ship.
func (h *Harbour) Moor(ctx context.Context, berth int64) error {
	return h.Locks.Hold(ctx, berthKey(berth), func(ctx context.Context) error { return h.Berths.Moor(ctx, berth) })
}

// Tow tows a ship.
func (h *Harbour) Tow(ctx context.Context, tug int64) error {
	return h.Locks.Hold(ctx, tugKey(tug), func(ctx context.Context) error { return h.Berths.Tow(ctx, tug) })
}

func laneKey(lane int64) string { return fmt.Sprintf("fairway:lane:%d", lane) }

// Dredge makes a lane deeper.
func (h *Harbour) Dredge(ctx context.Context, lane int64) error {
	return h.Locks.Hold(ctx, laneKey(lane), func(ctx context.Context) error { return h.Berths.Dredge(ctx, lane) })
}
