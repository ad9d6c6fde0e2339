// Package hold holds things for a while.
package hold

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"example.test/foundinga/oc15-lift-owner/hold/cmds"
)

var ErrHeld = errors.New("held by another controller")

// Holder holds things that K numbers.
type Holder[K comparable] struct {
	cmds *cmds.Cmds
	key  func(K) string
	ttl  time.Duration
}

func New[K comparable](c *cmds.Cmds, key func(K) string, ttl time.Duration) *Holder[K] {
	return &Holder[K]{cmds: c, key: key, ttl: ttl}
}

// With runs fn while this controller holds k.
func (h *Holder[K]) With(ctx context.Context, k K, fn func(context.Context) error) (err error) {
	token := uuid.NewString()
	ok, err := h.cmds.PutNew(ctx, h.key(k), token, h.ttl)
	if err != nil {
		return err
	}
	if !ok {
		return ErrHeld
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, h.cmds.RemoveIf(end, h.key(k), token))
	}()
	return fn(ctx)
}
