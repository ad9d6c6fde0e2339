// Package claim hands out claims on shared machines.
package claim

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Claims struct{ rdb redis.Cmdable }

func New(rdb redis.Cmdable) *Claims { return &Claims{rdb: rdb} }

// Claim is one attempt; ask Won whether it succeeded.
type Claim struct {
	rdb  redis.Cmdable
	key  string
	id   string
	held bool
}

// Make tries once and returns a claim in any case but an outage.
func (c *Claims) Make(ctx context.Context, key string, d time.Duration) (*Claim, error) {
	claim := &Claim{rdb: c.rdb, key: key, id: uuid.NewString()}
	err := c.rdb.SetArgs(ctx, key, claim.id, redis.SetArgs{Mode: "NX", TTL: d}).Err()
	if errors.Is(err, redis.Nil) {
		return claim, nil
	}
	if err != nil {
		return nil, err
	}
	claim.held = true
	return claim, nil
}

// Won reports whether the machine belongs to the caller.
func (c *Claim) Won() bool { return c.held }

// Return gives the machine back. It is harmless for a claim that was not won.
func (c *Claim) Return(ctx context.Context) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	now, err := c.rdb.Get(end, c.key).Result() // ALSO-OK: nonatomic-release
	if err != nil || now != c.id {
		slog.Debug("claim is gone", "key", c.key, "now", now, "err", err)
		return
	}
	if err := c.rdb.Del(end, c.key).Err(); err != nil { // EXPECT: nonatomic-release
		slog.Warn("claim stays", "key", c.key, "err", err)
	}
}
