// Package words takes keys with bare commands and scripts.
package words

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

var ErrTaken = errors.New("taken")

// takeScript tells who is there.
var takeScript = redis.NewScript(`
if redis.call("SETNX", KEYS[1], ARGV[1]) == 1 then
	return ARGV[1]
end
return redis.call("GET", KEYS[1])`)

// Take uses the bare command.
func Take(ctx context.Context, c redis.UniversalClient, key, own string) error {
	n, err := c.Do(ctx, "SETNX", key, own).Int() // EXPECT: no-ttl
	if err == nil && n == 0 {
		err = ErrTaken
	}
	return err
}

// TakeAll takes all keys or none; the command has no TTL to give.
func TakeAll(ctx context.Context, c redis.UniversalClient, keys []string, own string) error {
	pairs := make([]any, 0, 2*len(keys))
	for _, k := range keys {
		pairs = append(pairs, k, own)
	}
	ok, err := c.MSetNX(ctx, pairs...).Result() // EXPECT: no-ttl(arguable)
	if err == nil && !ok {
		err = ErrTaken
	}
	return err
}

// TakeOrTell uses a script.
func TakeOrTell(ctx context.Context, c redis.UniversalClient, key, own string) error {
	who, err := takeScript.Run(ctx, c, []string{key}, own).Text() // EXPECT: no-ttl
	if err == nil && who != own {
		err = ErrTaken
	}
	return err
}

// TakeSet uses SET with its options in a slice.
func TakeSet(ctx context.Context, c redis.UniversalClient, key, own string) error {
	args := []any{"set", key, own}
	args = append(args, "nx")
	err := c.Do(ctx, args...).Err() // EXPECT: no-ttl
	if errors.Is(err, redis.Nil) {
		err = ErrTaken
	}
	return err
}

// Give gives a key back.
func Give(ctx context.Context, c redis.UniversalClient, key, own string) error {
	return c.DelExArgs(ctx, key, redis.DelExArgs{Mode: "IFEQ", MatchValue: own}).Err()
}
