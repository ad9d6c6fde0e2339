// Package errorpath prints the newspapers of a region.
package errorpath

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrPress = errors.New("press is running")

type Press struct {
	rdb   *redis.Client
	print func(ctx context.Context, press int) error
}

func pressKey(press int) string { return fmt.Sprintf("news:press:%d", press) }

func inkKey(press int) string { return fmt.Sprintf("news:ink:%d", press) }

func foldKey(press int) string { return fmt.Sprintf("news:fold:%d", press) }

// drop frees a key, whoever holds it.
func (p *Press) drop(ctx context.Context, key string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	if err := p.rdb.Del(end, key).Err(); err != nil { // EXPECT: ownerless-release
		slog.Warn("stays locked", "key", key, "err", err)
	}
}

// Print frees the press in its loser's branch, "to be sure".
func (p *Press) Print(ctx context.Context, press int) error {
	ok, err := p.rdb.SetNX(ctx, pressKey(press), uuid.NewString(), 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("press %d: %w", press, err)
	}
	if !ok {
		p.drop(ctx, pressKey(press)) // EXPECT: release-not-acquired
		return ErrPress
	}
	defer p.drop(ctx, pressKey(press))
	return p.print(ctx, press)
}

// Refill has one way out for all of its cases.
func (p *Press) Refill(ctx context.Context, press int) (err error) {
	ok, err := p.rdb.SetNX(ctx, inkKey(press), uuid.NewString(), 30*time.Second).Result()
	switch {
	case err != nil:
		err = fmt.Errorf("ink %d: %w", press, err)
	case !ok:
		err = ErrPress
	default:
		err = p.print(ctx, press)
	}
	p.drop(ctx, inkKey(press)) // EXPECT: release-not-acquired
	return err
}

// Fold cleans up when its named error is set, also if that came from acquiring.
func (p *Press) Fold(ctx context.Context, press int) (err error) {
	defer func() { // ALSO-OK: release-not-acquired
		if err != nil {
			p.drop(ctx, foldKey(press)) // EXPECT: release-not-acquired
		}
	}()
	ok, err := p.rdb.SetNX(ctx, foldKey(press), uuid.NewString(), 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("fold %d: %w", press, err)
	}
	if !ok {
		return ErrPress
	}
	if err := p.print(ctx, press); err != nil {
		return err
	}
	p.drop(ctx, foldKey(press))
	return nil
}
