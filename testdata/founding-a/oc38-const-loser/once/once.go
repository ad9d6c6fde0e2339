// Package once runs things at one place at a time.
package once

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrRuns = errors.New("runs already")

const (
	mark    = "running"
	release = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
)

// Run runs fn unless it runs elsewhere. The release compares a mark that all places share, so it frees the lock of
// whoever holds it.
func Run[T any](ctx context.Context, rdb redis.Cmdable, key string, fn func(context.Context) (T, error)) (out T, err error) {
	ok, err := rdb.SetNX(ctx, key, mark, 20*time.Second).Result() // EXPECT: constant-owner
	defer func() {                                                // EXPECT: release-not-acquired
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		rerr := rdb.Eval(end, release, []string{key}, mark).Err() // ALSO-OK: release-not-acquired
		err = errors.Join(err, rerr)
	}()
	if err != nil {
		return out, fmt.Errorf("once %s: %w", key, err)
	}
	if !ok {
		return out, ErrRuns
	}
	return fn(ctx)
}
