// EXPECT-NONE

package testcleanup

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func room(t *testing.T) *Cloakroom {
	t.Helper()
	addr := os.Getenv("CLOAKROOM_TEST_REDIS")
	if addr == "" {
		t.Skip("CLOAKROOM_TEST_REDIS is not set")
	}
	c := &Cloakroom{Rdb: redis.NewClient(&redis.Options{Addr: addr, DB: 9})}
	t.Cleanup(func() {
		c.Rdb.Del(context.Background(), hookKey(1), hookKey(2))
		_ = c.Rdb.Close()
	})
	return c
}

func TestHangWhileTaken(t *testing.T) {
	c, ctx := room(t), context.Background()
	if err := c.Rdb.SetNX(ctx, hookKey(1), "somebody", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	defer c.Rdb.Del(ctx, hookKey(1))
	err := c.Hang(ctx, 1, func(context.Context) error { return nil })
	if !errors.Is(err, ErrHook) {
		t.Errorf("got %v, want ErrHook", err)
	}
}

func TestHangTwice(t *testing.T) {
	c, ctx := room(t), context.Background()
	for range 2 {
		if err := c.Hang(ctx, 2, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	}
}
