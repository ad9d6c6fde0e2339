// EXPECT-NONE

// Package constloser counts the stars on photographs.
package constloser

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc38-const-loser/once"
)

type Observatory struct {
	rdb   *redis.Client
	count func(ctx context.Context, plate int64) (int, error)
}

func plateKey(plate int64) string { return fmt.Sprintf("observatory:plate:%d:count", plate) }

// Count counts a plate.
func (o *Observatory) Count(ctx context.Context, plate int64) (int, error) {
	return once.Run(ctx, o.rdb, plateKey(plate), func(ctx context.Context) (int, error) {
		return o.count(ctx, plate)
	})
}
