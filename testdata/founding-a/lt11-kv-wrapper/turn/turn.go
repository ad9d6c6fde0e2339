// Package turn takes turns.
package turn

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"example.test/foundinga/lt11-kv-wrapper/kv"
)

var ErrNotYet = errors.New("somebody else's turn")

// Turns of things that K names.
type Turns[K any] struct {
	kv  kv.KV
	key func(K) string
}

func New[K any](k kv.KV, key func(K) string) *Turns[K] { return &Turns[K]{kv: k, key: key} }

// Take takes a turn and returns how to end it.
func (t *Turns[K]) Take(ctx context.Context, k K, d time.Duration) (end func() error, err error) {
	own := uuid.NewString()
	ok, err := t.kv.SetIfAbsent(ctx, t.key(k), own) // EXPECT: nonatomic-ttl
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNotYet
	}
	end = func() error {
		ectx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		return t.kv.DeleteIf(ectx, t.key(k), own)
	}
	if err := t.kv.Touch(ctx, t.key(k), d); err != nil { // ALSO-OK: nonatomic-ttl
		return nil, errors.Join(err, end())
	}
	return end, nil
}
