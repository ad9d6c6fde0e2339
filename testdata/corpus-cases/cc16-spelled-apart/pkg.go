// Package kilns heats kilns. The functions that acquire and release each put the key together; for the ovens one
// function does it for both.
package kilns

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const kilnPrefix = "kilns:firing:"

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Kilns struct{ rdb *redis.Client }

// Begin acquires the kiln.
func (k *Kilns) Begin(ctx context.Context, kiln, own string) (bool, error) {
	key := fmt.Sprintf("%s%s", kilnPrefix, kiln) // EXPECT: key-from-strings
	return k.rdb.SetNX(ctx, key, own, time.Minute).Result()
}

// End gives it back.
func (k *Kilns) End(ctx context.Context, kiln, own string) error {
	key := fmt.Sprintf("%s%s", kilnPrefix, kiln)
	return giveBack.Run(ctx, k.rdb, []string{key}, own).Err()
}

func ovenKey(oven string) string { return "kilns:oven:" + oven }

// Bake acquires the oven.
func (k *Kilns) Bake(ctx context.Context, oven, own string) (bool, error) {
	return k.rdb.SetNX(ctx, ovenKey(oven), own, time.Minute).Result()
}

// Cool gives it back.
func (k *Kilns) Cool(ctx context.Context, oven, own string) error {
	return giveBack.Run(ctx, k.rdb, []string{ovenKey(oven)}, own).Err()
}
