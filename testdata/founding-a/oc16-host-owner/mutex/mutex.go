// Package mutex is the house's lock.
package mutex

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrTaken = errors.New("taken")

// Mutex excludes other machines.
type Mutex interface {
	Acquire(ctx context.Context, key string, ttl time.Duration) error
	Release(ctx context.Context, key string) error
}

type mutex struct {
	rdb  redis.Cmdable
	host string
}

// New makes the lock of this machine.
func New(rdb redis.Cmdable) (Mutex, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return &mutex{rdb: rdb, host: host}, nil // ALSO-OK: constant-owner
}

var releaseScript = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

func (m *mutex) Acquire(ctx context.Context, key string, ttl time.Duration) error {
	ok, err := m.rdb.SetNX(ctx, key, m.host, ttl).Result() // EXPECT: constant-owner
	if err == nil && !ok {
		err = ErrTaken
	}
	return err
}

func (m *mutex) Release(ctx context.Context, key string) error {
	return releaseScript.Run(ctx, m.rdb, []string{key}, m.host).Err()
}
