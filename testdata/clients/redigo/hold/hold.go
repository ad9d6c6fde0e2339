// EXPECT-NONE

// Package hold keeps what belongs to one barge at a time.
package hold

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"
)

var ErrHeld = errors.New("held by another lock keeper")

var letGo = redis.NewScript(1, `
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

var prolong = redis.NewScript(1, `
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`)

// Hold is a chamber that is held.
type Hold struct {
	pool     *redis.Pool
	key, own string
}

// Take holds the key for as long as ttl says.
func Take(ctx context.Context, pool *redis.Pool, key string, ttl time.Duration) (*Hold, error) {
	conn, err := pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	h := &Hold{pool: pool, key: key, own: uuid.NewString()}
	args := redis.Args{}.Add(key).Add(h.own).Add("NX", "PX", ttl.Milliseconds())
	switch _, err := redis.String(redis.DoContext(conn, ctx, "SET", args...)); {
	case errors.Is(err, redis.ErrNil):
		return nil, ErrHeld
	case err != nil:
		return nil, err
	}
	return h, nil
}

// Prolong holds it longer.
func (h *Hold) Prolong(ttl time.Duration) (bool, error) {
	conn := h.pool.Get()
	defer conn.Close()
	return redis.Bool(prolong.Do(conn, h.key, h.own, ttl.Milliseconds()))
}

// LetGo gives it back.
func (h *Hold) LetGo() error {
	conn := h.pool.Get()
	defer conn.Close()
	n, err := redis.Int(letGo.Do(conn, h.key, h.own))
	if err == nil && n == 0 {
		return ErrHeld
	}
	return err
}

// Command runs one command on a connection of its own.
func Command(pool *redis.Pool, name string, args ...any) (any, error) {
	conn := pool.Get()
	defer conn.Close()
	return conn.Do(name, args...)
}
