// EXPECT-NONE

// Package ladder is the way down from the roof.
package ladder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrLadder = errors.New("somebody is on the ladder")

type Ladder struct {
	rdb   *redis.Client
	climb func(ctx context.Context) error
}

func rungKey(ladder int) string { return fmt.Sprintf("roof:ladder:%d", ladder) }

// Climb lets one at a time climb.
func (l *Ladder) Climb(ctx context.Context, ladder int) (err error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, rungKey(ladder), own, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("ladder %d: %w", ladder, err)
	}
	if !ok {
		return ErrLadder
	}
	defer func() { err = errors.Join(err, l.leave(context.WithoutCancel(ctx), ladder, own)) }()
	return l.climb(ctx)
}

// leave compares under WATCH and deletes in MULTI: if the key changes in between, nothing is deleted.
func (l *Ladder) leave(ctx context.Context, ladder int, own string) error {
	end, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	err := l.rdb.Watch(end, func(tx *redis.Tx) error {
		now, err := tx.Get(end, rungKey(ladder)).Result()
		if err != nil {
			return err
		}
		if now != own {
			return nil
		}
		_, err = tx.TxPipelined(end, func(p redis.Pipeliner) error {
			p.Del(end, rungKey(ladder))
			return nil
		})
		return err
	}, rungKey(ladder))
	if errors.Is(err, redis.Nil) || errors.Is(err, redis.TxFailedErr) {
		return nil
	}
	return err
}
