// EXPECT-NONE

// Package righthops tunes the organs of churches.
package righthops

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc59-right-hops/locks"
	"example.test/foundinga/oc59-right-hops/store"
)

type Tuner struct {
	locks locks.Locks
	rdb   *redis.Client
	tune  func(ctx context.Context, organ int64, pipe int) error
}

func New(rdb *redis.Client, tune func(context.Context, int64, int) error) *Tuner {
	return &Tuner{locks: locks.New(store.New(rdb)), rdb: rdb, tune: tune}
}

func organKey(organ int64) string { return fmt.Sprintf("church:organ:%d:tune", organ) }

// Tune tunes the pipes of an organ.
func (t *Tuner) Tune(ctx context.Context, organ int64, pipes int) (err error) {
	h, err := t.locks.Acquire(ctx, organKey(organ))
	if err != nil {
		return fmt.Errorf("organ %d: %w", organ, err)
	}
	defer func() { err = errors.Join(err, h.Release(ctx)) }()
	for pipe := range pipes {
		if err := t.tune(ctx, organ, pipe); err != nil {
			return err
		}
		if err := h.Extend(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Who tells, for the parish, whose token stands there. It is shown and decides nothing.
func (t *Tuner) Who(ctx context.Context, organ int64) (string, error) {
	who, err := t.rdb.Get(ctx, organKey(organ)).Result()
	if errors.Is(err, redis.Nil) {
		return "nobody", nil
	}
	return who, err
}
