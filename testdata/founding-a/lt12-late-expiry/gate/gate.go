// Package gate opens gates for one at a time.
package gate

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrShut = errors.New("gate is shut")

// Gate is a closure helper with its own TTL.
type Gate struct {
	rdb    redis.UniversalClient
	expire func(ctx context.Context, key string, d time.Duration) *redis.BoolCmd
}

// New keeps the method that sets TTLs.
func New(rdb redis.UniversalClient) *Gate { return &Gate{rdb: rdb, expire: rdb.PExpire} }

const shut = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// Through runs fn behind the gate.
func (g *Gate) Through(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	own := uuid.NewString()
	err = g.rdb.SetArgs(ctx, key, own, redis.SetArgs{Mode: "NX"}).Err() // EXPECT: nonatomic-ttl
	switch {
	case errors.Is(err, redis.Nil):
		return ErrShut
	case err != nil:
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, g.rdb.Eval(end, shut, []string{key}, own).Err())
	}()
	if err := g.expire(ctx, key, 30*time.Second).Err(); err != nil { // ALSO-OK: nonatomic-ttl
		return err
	}
	return fn(ctx)
}

// Pass takes the gate for whoever calls, and reports whether it did.
func (g *Gate) Pass(ctx context.Context, key, own string) (passed bool, err error) {
	passed, err = g.rdb.SetNX(ctx, key, own, 0).Result() // EXPECT: nonatomic-ttl
	if err == nil && passed {
		err = g.rdb.ExpireAt(ctx, key, time.Now().Add(30*time.Second)).Err() // ALSO-OK: nonatomic-ttl
	}
	return passed, err
}

// Back gives back what Pass took.
func (g *Gate) Back(ctx context.Context, key, own string) error {
	return g.rdb.Eval(ctx, shut, []string{key}, own).Err()
}
