// EXPECT-NONE

// Package webhook handles every event of the bank once.
package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-redis/redis/v8"
)

// Dedup claims events.
type Dedup interface {
	Claim(ctx context.Context, event string) (bool, error)
	Forget(ctx context.Context, event string) error
}

type dedup struct{ rdb redis.Cmdable }

func NewDedup(rdb redis.Cmdable) Dedup { return dedup{rdb} }

func eventKey(event string) string { return fmt.Sprintf("bank:event:%s", event) }

// Claim reports whether the event is new. The mark stays, for the bank repeats its events for a week.
func (d dedup) Claim(ctx context.Context, event string) (bool, error) {
	return d.rdb.SetNX(ctx, eventKey(event), 1, 7*24*time.Hour).Result()
}

// Forget takes the mark back after a failure.
func (d dedup) Forget(ctx context.Context, event string) error {
	return d.rdb.Del(ctx, eventKey(event)).Err()
}

type Handler struct {
	dedup  Dedup
	handle func(ctx context.Context, event string) error
}

// On handles one event.
func (h *Handler) On(ctx context.Context, event string) error {
	fresh, err := h.dedup.Claim(ctx, event)
	if err != nil {
		return fmt.Errorf("event %s: %w", event, err)
	}
	if !fresh {
		slog.Debug("seen before", "event", event)
		return nil
	}
	if err := h.handle(ctx, event); err != nil {
		if ferr := h.dedup.Forget(context.WithoutCancel(ctx), event); ferr != nil {
			slog.Warn("event will not be repeated", "event", event, "err", ferr)
		}
		return err
	}
	return nil
}
