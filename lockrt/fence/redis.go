package fence

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// setScript compares and sets in one step. The fence of a value is kept beside it, in the same cluster slot. Fences are
// below 2^53, which Lua compares exactly.
//
//	KEYS  1 value  2 fence
//	ARGV  1 fence  2 value  3 TTL of both in ms, 0 for none
//
// Replies the highest fence seen.
var setScript = redis.NewScript(`
local seen = tonumber(redis.call('GET', KEYS[2]) or '0')
if seen > tonumber(ARGV[1]) then return seen end
if ARGV[3] == '0' then
  redis.call('SET', KEYS[2], ARGV[1])
  redis.call('SET', KEYS[1], ARGV[2])
else
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return tonumber(ARGV[1])
`)

// Set sets a string key of Redis if no later owner has set it. Its fence is kept under "{key}:fenced" (or key +
// ":fenced", if the key has a hash tag). With a ttl above 0 both expire together, which forgets the fence: let it be longer
// than any owner can be stopped. It returns ErrStale if a later owner was seen, or an error of Redis.
func Set(ctx context.Context, rdb redis.Scripter, key, value string, ttl time.Duration, fence int64) error {
	if err := valid(key, fence); err != nil {
		return err
	}
	seen, err := setScript.Run(ctx, rdb, []string{key, companion(key)}, fence, value, ttl.Milliseconds()).Int64()
	switch {
	case err != nil:
		return fmt.Errorf("fence: set %q: %w", key, err)
	case seen != fence:
		return &StaleError{Resource: key, Fence: fence, Seen: seen}
	}
	return nil
}

// companion returns the key beside key, in its cluster slot.
func companion(key string) string {
	if open := strings.IndexByte(key, '{'); open >= 0 && strings.IndexByte(key[open:], '}') > 1 {
		return key + ":fenced"
	}
	return "{" + key + "}:fenced"
}
