// EXPECT-NONE

// Package locks runs what it is given under a lock. It knows nothing of who uses it.
package locks

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("busy")

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func key(kind string, id int64) string { return kind + ":" + strconv.FormatInt(id, 10) }

// Doer does something to one thing.
type Doer interface {
	Do(ctx context.Context, id int64) error
}

// Step is the same as a function.
type Step func(ctx context.Context, id int64) error

// Serial is the locking half of a wrapper: the wrapper hands over what it stands for.
func Serial(ctx context.Context, rdb redis.Cmdable, next Doer, id int64) error {
	own := rand.Text()
	ok, err := rdb.SetNX(ctx, key("serial", id), own, 20*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{key("serial", id)}, own)
	return next.Do(ctx, id)
}

// OneAtATime makes a locked step of a step.
func OneAtATime(rdb redis.Cmdable, next Step) Step {
	return func(ctx context.Context, id int64) error {
		own := rand.Text()
		ok, err := rdb.SetNX(ctx, key("step", id), own, 20*time.Second).Result()
		if err != nil {
			return err
		}
		if !ok {
			return errBusy
		}
		defer drop.Run(context.WithoutCancel(ctx), rdb, []string{key("step", id)}, own)
		return next(ctx, id)
	}
}

// Check asks under a lock whether something may be done, and says no more than that: it stands for nobody.
func Check(ctx context.Context, rdb redis.Cmdable, ask Doer, id int64) error {
	own := rand.Text()
	ok, err := rdb.SetNX(ctx, key("check", id), own, 20*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{key("check", id)}, own)
	if ask.Do(ctx, id) != nil {
		return errBusy
	}
	return nil
}
