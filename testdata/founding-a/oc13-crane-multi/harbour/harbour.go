// EXPECT-NONE

// Package harbour unloads ships.
package harbour

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/oc13-crane-multi/slot"
)

type Harbour struct {
	slots  slot.Slots
	unload func(ctx context.Context, crane int, ship string) error
}

func New(s slot.Slots, unload func(context.Context, int, string) error) *Harbour {
	return &Harbour{slots: s, unload: unload}
}

func craneKey(crane int) string { return fmt.Sprintf("harbour:crane:%d", crane) }

// Unload unloads a ship with one crane.
func (h *Harbour) Unload(ctx context.Context, crane int, ship string) (err error) {
	s, err := h.slots.Reserve(ctx, craneKey(crane), 45*time.Second)
	if err != nil {
		return fmt.Errorf("crane %d: %w", crane, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, s.Free(end))
	}()
	return h.unload(ctx, crane, ship)
}
