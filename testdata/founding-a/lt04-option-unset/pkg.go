// Package optionunset draws the numbers of a lottery.
package optionunset

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/lt04-option-unset/slot"
)

type Lottery struct {
	slots *slot.Slots
	draw  func(ctx context.Context, week int) (int, error)
}

// New forgets the TTL.
func New(rdb *redis.Client, draw func(context.Context, int) (int, error)) *Lottery {
	return &Lottery{slots: slot.New(rdb), draw: draw} // ALSO-OK: no-ttl
}

func weekKey(week int) string { return fmt.Sprintf("lottery:week:%d:draw", week) }

// Draw draws the number of a week.
func (l *Lottery) Draw(ctx context.Context, week int) (int, error) {
	return slot.With(ctx, l.slots, weekKey(week), func(ctx context.Context) (int, error) { // ALSO-OK: no-ttl
		return l.draw(ctx, week)
	})
}
