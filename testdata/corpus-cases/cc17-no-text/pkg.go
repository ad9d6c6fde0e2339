// EXPECT-NONE

// Package herds keeps herds of animals. Which keys it uses is configured; that a lock's key and a record's key are both
// two configured texts says nothing of them.
package herds

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrTaken says that somebody else counts the herd.
var ErrTaken = errors.New("somebody else counts the herd")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Config is read from a file.
type Config struct{ Base, Locks, Records string }

type Herds struct {
	rdb *redis.Client
	cfg Config
}

// Write stores a record.
func (h *Herds) Write(ctx context.Context, record []byte) error {
	return h.rdb.Set(ctx, h.cfg.Base+":"+h.cfg.Records, record, 0).Err()
}

// Count counts under the lock.
func (h *Herds) Count(ctx context.Context, count func(context.Context) error) (err error) {
	key, own := h.cfg.Base+":"+h.cfg.Locks, uuid.NewString()
	ok, err := h.rdb.SetNX(ctx, key, own, 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrTaken
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, giveBack.Run(end, h.rdb, []string{key}, own).Err())
	}()
	return count(ctx)
}
