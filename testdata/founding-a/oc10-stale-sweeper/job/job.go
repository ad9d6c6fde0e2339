// EXPECT-NONE

// Package job runs imports, each on one worker.
package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrRunning = errors.New("import is running")

// Key is the lock of an import.
func Key(id int64) string { return fmt.Sprintf("import:%d:running", id) }

var release = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
	return 0
end
return redis.call("DEL", KEYS[1])`)

// Run imports id unless some worker does.
func Run(ctx context.Context, rdb redis.UniversalClient, id int64, work func(context.Context) error) (err error) {
	own := uuid.NewString()
	ok, err := rdb.SetNX(ctx, Key(id), own, 50*time.Second).Result()
	if err != nil {
		return fmt.Errorf("import %d: %w", id, err)
	}
	if !ok {
		return ErrRunning
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, rdb, []string{Key(id)}, own).Err())
	}()
	return work(ctx)
}
