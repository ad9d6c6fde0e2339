// EXPECT-NONE

// Package locks makes handles from the store's tokens.
package locks

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"example.test/foundinga/oc59-right-hops/store"
)

var ErrBusy = errors.New("busy")

// Handle is held by one goroutine.
type Handle interface {
	Extend(ctx context.Context) error
	Release(ctx context.Context) error
}

// Locks makes handles.
type Locks interface {
	Acquire(ctx context.Context, key string) (Handle, error)
}

type locks struct {
	s   *store.Store
	ttl time.Duration
}

func New(s *store.Store) Locks { return &locks{s: s, ttl: 25 * time.Second} }

type handle struct {
	l          *locks
	key, token string
}

func (l *locks) Acquire(ctx context.Context, key string) (Handle, error) {
	h := handle{l: l, key: key, token: "h-" + uuid.NewString()}
	ok, err := l.s.Acquire(ctx, key, h.token, l.ttl)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrBusy
	}
	return h, nil
}

func (h handle) Extend(ctx context.Context) error {
	return h.l.s.Extend(ctx, h.key, h.token, h.l.ttl)
}

func (h handle) Release(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return h.l.s.Release(end, h.key, h.token)
}
