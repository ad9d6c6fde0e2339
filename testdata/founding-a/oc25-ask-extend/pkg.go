// EXPECT-NONE

// Package askextend runs the elections of a club.
package askextend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc25-ask-extend/term"
)

type ballot struct{ id int64 }

type Club struct {
	rdb   redis.UniversalClient
	count func(ctx context.Context, ballot int64, box int) error
}

func ballotKey(id int64) string { return fmt.Sprintf("club:ballot:%d:count", id) }

// Count counts the boxes of a ballot.
func (c *Club) Count(ctx context.Context, id int64, boxes int) (err error) {
	t, err := term.Begin(ctx, c.rdb, ballotKey(id), ballot{id}, 20*time.Second)
	if err != nil {
		return fmt.Errorf("ballot %d: %w", id, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, t.End(end))
	}()
	for box := range boxes {
		if err := c.count(ctx, t.About.id, box); err != nil {
			return err
		}
		if err := t.Renew(ctx, 20*time.Second); err != nil {
			return err
		}
	}
	return nil
}
