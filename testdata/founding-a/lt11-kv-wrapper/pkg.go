// EXPECT-NONE

// Package kvwrapper rings the bells of a tower.
package kvwrapper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/lt11-kv-wrapper/kv"
	"example.test/foundinga/lt11-kv-wrapper/turn"
)

type bell int

func bellKey(b bell) string { return fmt.Sprintf("tower:bell:%d", int(b)) }

type Tower struct {
	turns *turn.Turns[bell]
	ring  func(ctx context.Context, bell int) error
}

func New(k kv.KV, ring func(context.Context, int) error) *Tower {
	return &Tower{turns: turn.New(k, bellKey), ring: ring}
}

// Ring rings a bell.
func (t *Tower) Ring(ctx context.Context, n int) (err error) {
	end, err := t.turns.Take(ctx, bell(n), 20*time.Second)
	if err != nil {
		return fmt.Errorf("bell %d: %w", n, err)
	}
	defer func() { err = errors.Join(err, end()) }()
	return t.ring(ctx, n)
}
