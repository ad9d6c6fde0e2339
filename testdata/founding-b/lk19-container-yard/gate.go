// Package containeryard lets trucks through the gate of a harbour.
package containeryard

import (
	"context"
	"strconv"
	"strings"

	"example.test/foundingb/lk19-container-yard/yard"
)

// Gate lets trucks in.
type Gate struct {
	Yard *yard.Yard
	Plan Plan
}

// Plan says which truck brings what where.
type Plan interface {
	Assign(ctx context.Context, slot, truck int64) error
}

// slotKey is held while a slot gets another use.
func slotKey(slot int64) string {
	var b strings.Builder
	b.WriteString("stacking/slots/") // EXPECT: mismatched-prefix
	b.WriteString(strconv.FormatInt(slot, 10))
	return b.String()
}

// Assign gives a slot to a truck.
func (g *Gate) Assign(ctx context.Context, slot, truck int64) error {
	return g.Yard.Hold(ctx, slotKey(slot), func(ctx context.Context) error { return g.Plan.Assign(ctx, slot, truck) })
}
