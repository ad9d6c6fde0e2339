// Package redislock is one lock object per key.
package redislock

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrNotLocked = errors.New("lock is not ours")

// Lock is for one section; make a new one for the next.
type Lock struct {
	client redis.UniversalClient
	key    string
	value  string
	ttl    time.Duration
}

// Option changes a lock.
type Option func(*Lock)

// WithTTL sets the TTL, which is half a minute otherwise.
func WithTTL(d time.Duration) Option { return func(l *Lock) { l.ttl = d } }

// New makes a lock; its value is the time at which it was made.
func New(client redis.UniversalClient, key string, opts ...Option) *Lock {
	l := &Lock{
		client: client,
		key:    key,
		value:  strconv.FormatInt(time.Now().UnixNano(), 10), // ALSO-OK: constant-owner
		ttl:    30 * time.Second,
	}
	for _, o := range opts {
		o(l)
	}
	return l
}

// Lock tries once.
func (l *Lock) Lock(ctx context.Context) (bool, error) {
	return l.client.SetNX(ctx, l.key, l.value, l.ttl).Result() // EXPECT: constant-owner
}

const unlockScript = `
local owner = redis.call('get', KEYS[1])
if owner == ARGV[1] then
	return redis.call('del', KEYS[1])
else
	return 0
end`

// Unlock gives the lock back.
func (l *Lock) Unlock(ctx context.Context) error {
	n, err := l.client.Eval(ctx, unlockScript, []string{l.key}, l.value).Int64()
	if err != nil {
		return err
	}
	if n != 1 {
		return ErrNotLocked
	}
	return nil
}
