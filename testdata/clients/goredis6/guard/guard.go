// Package guard keeps one table for one party at a time.
package guard

import (
	"errors"
	"time"

	"github.com/go-redis/redis"
	"github.com/google/uuid"
)

var ErrTaken = errors.New("table is taken")

var free = redis.NewScript(`
if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
else
	return 0
end`)

// Guard is a table that is held.
type Guard struct {
	rdb      redis.Cmdable
	key, own string
}

func New(rdb redis.Cmdable, key string) *Guard {
	return &Guard{rdb: rdb, key: key, own: uuid.NewString()}
}

// Take holds the table for a minute.
func (g *Guard) Take() error {
	ok, err := g.rdb.SetNX(g.key, g.own, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrTaken
	}
	return nil
}

// Free gives it back.
func (g *Guard) Free() error { return free.Run(g.rdb, []string{g.key}, g.own).Err() }

// Drop gives a key back, whoever holds it; who calls this has to know.
func Drop(rdb redis.Cmdable, key string) error {
	return rdb.Eval(`return redis.call("DEL", KEYS[1])`, []string{key}).Err()
} // EXPECT: ownerless-release
