// EXPECT-NONE

// Package recursive builds keys by recursion: the analysis has to end, and to say nothing of what it cannot know.
package recursive

import (
	"context"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

func path(parts []string) string {
	if len(parts) == 0 {
		return "tree"
	}
	return path(parts[:len(parts)-1]) + "/" + parts[len(parts)-1]
}

func even(n int, key string) string {
	if n == 0 {
		return key
	}
	return odd(n-1, key+"e")
}

func odd(n int, key string) string {
	if n == 0 {
		return key
	}
	return even(n-1, "o"+key)
}

type node struct {
	up   *node
	name string
}

func (n *node) key() string {
	if n.up == nil {
		return n.name
	}
	return strings.Join([]string{n.up.key(), n.name}, ":")
}

// Prune works on one branch; a deeper call works on the branch below.
func Prune(ctx context.Context, rdb *redis.Client, n *node, parts []string, depth int) error {
	for _, key := range []string{path(parts), even(depth, "k"), n.key()} {
		if ok, err := rdb.SetNX(ctx, key, key, time.Second).Result(); err != nil || !ok {
			return err
		}
	}
	if depth > 0 {
		return Prune(ctx, rdb, n.up, parts, depth-1)
	}
	return rdb.Del(ctx, path(parts)).Err()
}

func ping(ctx context.Context, rdb *redis.Client, key string, n int) error {
	if err := rdb.SetNX(ctx, "ping:"+key, n, time.Second).Err(); err != nil {
		return err
	}
	return pong(ctx, rdb, "p"+key, n-1)
}

func pong(ctx context.Context, rdb *redis.Client, key string, n int) error {
	if n <= 0 {
		return nil
	}
	return ping(ctx, rdb, key+"q", n)
}
