// EXPECT-NONE

// Package locker opens lockers. Its lock is right, but for those who go past it.
package locker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrBusy says that somebody else holds the lock.
var ErrBusy = errors.New("locked by somebody else")

var release = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0
`)

func lockerKey(id string) string { return "gym:locker:" + id }

// Open runs work while it holds the lock of a locker.
func Open(ctx context.Context, addr, id string, work func() error) error {
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	owner := rand.Text()
	held, err := rdb.SetNX(ctx, lockerKey(id), owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("ask for the lock: %w", err)
	}
	if !held {
		return ErrBusy
	}
	defer release.Run(context.WithoutCancel(ctx), rdb, []string{lockerKey(id)}, owner)
	return work()
}
