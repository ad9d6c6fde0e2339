// Package sweep tidies up after imports.
package sweep

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc10-stale-sweeper/job"
)

// Imports knows what should be running.
type Imports interface {
	Finished(ctx context.Context, since time.Time) ([]int64, error)
}

type Sweeper struct {
	Rdb     redis.UniversalClient
	Imports Imports
}

// Once frees imports that have ended, in case their worker died before it could.
func (s *Sweeper) Once(ctx context.Context, since time.Time) error {
	ids, err := s.Imports.Finished(ctx, since)
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		words := []any{"DEL", job.Key(id)}
		n, err := s.Rdb.Do(ctx, words...).Int() // EXPECT: ownerless-release
		if err != nil {
			return err
		}
		slog.Info("swept", "import", id, "freed", n)
	}
	return nil
}
