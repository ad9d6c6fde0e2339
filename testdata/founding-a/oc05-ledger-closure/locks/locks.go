// Package locks runs work that only one replica may do at a time.
package locks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrBusy = errors.New("another replica is at it")
	ErrLost = errors.New("the work took longer than its lock")
)

// Manager makes locks.
type Manager struct{ rdb *redis.ClusterClient }

func NewManager(rdb *redis.ClusterClient) *Manager { return &Manager{rdb: rdb} }

type lock struct {
	rdb        *redis.ClusterClient
	key, token string
}

func (m *Manager) acquire(ctx context.Context, key string, ttl time.Duration) (*lock, error) {
	l := &lock{rdb: m.rdb, key: key, token: uuid.NewString()}
	ok, err := m.rdb.SetNX(ctx, key, l.token, ttl).Result()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", key, err)
	case !ok:
		return nil, ErrBusy
	}
	return l, nil
}

// release takes the key away and looks at whose it was.
func (l *lock) release(ctx context.Context) error {
	whose, err := l.rdb.GetDel(ctx, l.key).Result() // EXPECT: ownerless-release
	if errors.Is(err, redis.Nil) || err == nil && whose != l.token {
		return ErrLost
	}
	return err
}

// Do runs fn under the lock of the key.
func (m *Manager) Do(ctx context.Context, key string, ttl time.Duration, fn func(context.Context) error) (err error) {
	l, err := m.acquire(ctx, key, ttl)
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, l.release(end))
	}()
	return fn(ctx)
}
