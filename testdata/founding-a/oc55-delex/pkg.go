// EXPECT-NONE

// Package delex mends motorways.
package delex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc55-delex/lane"
)

type Crew struct {
	rdb  redis.UniversalClient
	mend func(ctx context.Context, lane, metre int) error
}

func laneKey(n int) string { return fmt.Sprintf("motorway:lane:%d", n) }

// Mend mends a lane metre by metre.
func (c *Crew) Mend(ctx context.Context, n, metres int) (err error) {
	closing, err := lane.Close(ctx, c.rdb, laneKey(n), 30*time.Second)
	if err != nil {
		return fmt.Errorf("lane %d: %w", n, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, closing.Open(end))
	}()
	for metre := range metres {
		if err := c.mend(ctx, n, metre); err != nil {
			return err
		}
		if err := closing.Extend(ctx); err != nil {
			return err
		}
	}
	return nil
}
