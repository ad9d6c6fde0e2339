// Package give has three ways to give a lock back, each with a slip of the pen.
package give

import (
	"context"

	"github.com/go-redis/redis/v8"
)

// noEnd lacks the end of its condition.
var noEnd = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1])`) // ALSO-OK: broken-release

// Back gives the key back.
func Back(ctx context.Context, c redis.Cmdable, key, own string) error {
	return noEnd.Run(ctx, c, []string{key}, own).Err() // EXPECT: broken-release
}

// Again gives the key back. Its script counts like Go does, not like Lua.
func Again(ctx context.Context, c redis.Cmdable, key, own string) error {
	const fromZero = `if redis.call("GET", KEYS[0]) == ARGV[0] then return redis.call("DEL", KEYS[0]) end return 0` // ALSO-OK: broken-release
	_, err := c.Eval(ctx, fromZero, []string{key}, own).Result()                                                    // EXPECT: broken-release
	return err
}

// Later gives the key back; the names of its parts stand where the script does not look for them.
func Later(ctx context.Context, c redis.Cmdable, key, own string) error {
	text := `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
	return c.Eval(ctx, text, nil, key, own).Err() // EXPECT: broken-release
}

// Right gives the key back, with an argument to spare.
func Right(ctx context.Context, c redis.Cmdable, key, own string) error {
	text := `
		local own = ARGV[1]
		if redis.call("GET", KEYS[1]) == own then
			return redis.call("DEL", KEYS[1])
		end
		return 0`
	return c.Eval(ctx, text, []string{key}, own, "reserved").Err()
}
