// Package gate lets people in.
package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.test/foundinga/oc02-turnstile-pair/kv"
)

var ErrMaintenance = errors.New("turnstile is being counted")

type Gate struct{ store kv.Store }

func New(store kv.Store) *Gate { return &Gate{store: store} }

func turnstileKey(id int64) string { return fmt.Sprintf("stadium:turnstile:%d:count", id) }

func visitorsKey(id int64) string { return fmt.Sprintf("stadium:turnstile:%d:visitors", id) }

// Close counts a turnstile for the night.
func (g *Gate) Close(ctx context.Context, id int64, count func(context.Context) error) error {
	ok, err := g.store.TryLock(ctx, turnstileKey(id), 25*time.Second)
	if err != nil {
		return fmt.Errorf("turnstile %d: %w", id, err)
	}
	if !ok {
		return ErrMaintenance
	}
	defer g.open(context.WithoutCancel(ctx), id)
	return count(ctx)
}

// Recount counts again after a dispute.
func (g *Gate) Recount(ctx context.Context, id int64, count func(context.Context) error) error {
	ok, err := g.store.TryLock(ctx, turnstileKey(id), 25*time.Second)
	defer g.open(context.WithoutCancel(ctx), id) // EXPECT: release-not-acquired
	if err != nil {
		return fmt.Errorf("turnstile %d: %w", id, err)
	}
	if !ok {
		return ErrMaintenance
	}
	return count(ctx)
}

func (g *Gate) open(ctx context.Context, id int64) {
	end, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	if err := g.store.Unlock(end, turnstileKey(id)); err != nil {
		slog.Warn("turnstile stays closed", "id", id, "err", err)
	}
}

// Pass counts one visitor.
func (g *Gate) Pass(ctx context.Context, id int64) (int64, error) {
	return g.store.Count(ctx, visitorsKey(id))
}
