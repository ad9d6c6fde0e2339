// Package windturbines looks after the turbines of a wind farm.
package windturbines

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrBusy = errors.New("somebody else is at it")
	errLost = errors.New("turbine was let go early")
)

const brakeKey = "windfarm-brake"

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Turbines does the work.
type Turbines interface {
	Restart(ctx context.Context, turbine int64) error
	Brake(ctx context.Context, turbine int64) error
	Grease(ctx context.Context, turbine int64) error
	Paint(ctx context.Context, turbine int64) error
	Inspect(ctx context.Context, turbine int64) error
	Turn(ctx context.Context, turbine int64, degrees int) error
}

type Farm struct {
	rdb      redis.UniversalClient
	rs       *redsync.Redsync
	turbines Turbines
	paint    string // name of the lock of painters
}

// New returns a farm.
func New(rdb redis.UniversalClient, rs *redsync.Redsync, t Turbines) *Farm {
	return &Farm{rdb: rdb, rs: rs, turbines: t, paint: "windfarm-painters"}
}

func (f *Farm) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := f.rdb.SetNX(ctx, key, owner, 40*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, f.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return fn(work)
}

// Restart restarts a turbine.
func (f *Farm) Restart(ctx context.Context, turbine int64) error {
	return f.hold(ctx, "restart-windmill", func(ctx context.Context) error { // EXPECT: key-ignores-entity
		return f.turbines.Restart(ctx, turbine)
	})
}

// Brake stops a turbine.
func (f *Farm) Brake(ctx context.Context, turbine int64) error {
	return f.hold(ctx, brakeKey, func(ctx context.Context) error { // EXPECT: key-ignores-entity
		return f.turbines.Brake(ctx, turbine)
	})
}

// greaseKey was meant to be one per turbine.
func greaseKey(_ int64) string { return "grease/hub" }

// Grease greases the hub of a turbine.
func (f *Farm) Grease(ctx context.Context, turbine int64) error {
	return f.hold(ctx, greaseKey(turbine), func(ctx context.Context) error { // EXPECT: key-ignores-entity
		return f.turbines.Grease(ctx, turbine)
	})
}

// Paint paints a turbine.
func (f *Farm) Paint(ctx context.Context, turbine int64) error {
	return f.hold(ctx, f.paint, func(ctx context.Context) error { // EXPECT: key-ignores-entity
		return f.turbines.Paint(ctx, turbine)
	})
}

// inspecting holds the one lock of inspections.
func (f *Farm) inspecting(ctx context.Context, fn func(context.Context) error) error {
	return f.hold(ctx, "inspection-crew", fn) // ALSO-OK: key-ignores-entity
}

// Inspect has a look at a turbine.
func (f *Farm) Inspect(ctx context.Context, turbine int64) error {
	return f.inspecting(ctx, func(ctx context.Context) error { return f.turbines.Inspect(ctx, turbine) }) // EXPECT: key-ignores-entity
}

// Turn turns a turbine into the wind.
func (f *Farm) Turn(ctx context.Context, turbine int64, degrees int) (err error) {
	m := f.rs.NewMutex("yaw-drive", redsync.WithExpiry(30*time.Second), redsync.WithTries(3)) // ALSO-OK: key-ignores-entity
	if err := m.LockContext(ctx); err != nil {                                                // EXPECT: key-ignores-entity
		return fmt.Errorf("turbine %d: %w", turbine, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return f.turbines.Turn(work, turbine, degrees)
}
