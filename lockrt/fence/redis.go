package fence

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// setScript compares and sets in one step. The fence of a value is kept beside it, in the same cluster slot.
var setScript = redis.NewScript(protocol.FenceSet)

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
