// EXPECT-NONE

// Package spread hands the arguments of a script over in one list, which the client takes apart.
package spread

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	take = redis.NewScript(`return redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])`)
	give = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Gate is one lock object.
type Gate struct {
	rdb   *redis.Client
	key   string
	owner string
	lease time.Duration
}

func gateKey(name string) string { return "gate:" + name }

// New makes a gate with an owner value of its own.
func New(rdb *redis.Client, name string, lease time.Duration) *Gate {
	return &Gate{rdb: rdb, key: gateKey(name), owner: uuid.NewString(), lease: lease}
}

// Lock tries once.
func (g *Gate) Lock(ctx context.Context) (bool, error) {
	reply, err := take.Run(ctx, g.rdb, []string{g.key}, []string{g.owner, strconv.FormatInt(g.lease.Milliseconds(), 10)}).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil && reply == "OK", err
}

// Unlock compares and deletes.
func (g *Gate) Unlock(ctx context.Context) error {
	return give.Run(ctx, g.rdb, []string{g.key}, []any{g.owner}).Err()
}
