// Package customs clears shipments at the border.
package customs

import (
	"context"
	"fmt"
)

// Locks runs fn while key is held.
type Locks interface {
	Hold(ctx context.Context, key string, fn func(context.Context) error) error
}

// Office fills the forms in.
type Office interface {
	Clear(ctx context.Context, shipment int64) error
}

type Clerk struct {
	Locks  Locks
	Office Office
}

// Clear clears a shipment.
func (c *Clerk) Clear(ctx context.Context, shipment int64) error {
	key := fmt.Sprintf("shipment:%d:route", shipment)                                                       // EXPECT: key-from-strings
	return c.Locks.Hold(ctx, key, func(ctx context.Context) error { return c.Office.Clear(ctx, shipment) }) // ALSO-OK: key-from-strings, duplicate-prefix
}
