// Package lease keeps the leases of this process in a table.
package lease

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrHeld = errors.New("held by somebody else")

const (
	dropMine   = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) else return 0 end`
	extendMine = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) else return 0 end`
)

// Leases is used by its keys; tokens are nobody's business.
type Leases interface {
	Take(ctx context.Context, key string, ttl time.Duration) error
	Extend(ctx context.Context, key string, ttl time.Duration) error
	Drop(ctx context.Context, key string) error
}

type table struct {
	rdb    *redis.Client
	mu     sync.Mutex
	tokens map[string]string
}

// New returns an empty table.
func New(rdb *redis.Client) Leases { return &table{rdb: rdb, tokens: map[string]string{}} }

func (t *table) Take(ctx context.Context, key string, ttl time.Duration) error {
	token := uuid.NewString()
	ok, err := t.rdb.SetNX(ctx, key, token, ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrHeld
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens[key] = token // ALSO-OK: owner-overwritten
	return nil
}

func (t *table) token(key string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tokens[key]
}

// Extend prolongs the lease of the key, whoever in this process took it.
func (t *table) Extend(ctx context.Context, key string, ttl time.Duration) error {
	n, err := t.rdb.Eval(ctx, extendMine, []string{key}, t.token(key), ttl.Milliseconds()).Int() // EXPECT: ownerless-extend
	if err == nil && n == 0 {
		err = ErrHeld
	}
	return err
}

// Drop ends the lease of the key, whoever in this process took it.
func (t *table) Drop(ctx context.Context, key string) error {
	return t.rdb.Eval(ctx, dropMine, []string{key}, t.token(key)).Err() // EXPECT: ownerless-release
}
