// Package backlog works off the claims that nobody has touched for a day.
package backlog

import (
	"context"
	"fmt"
)

// Payer pays a claim.
type Payer interface {
	Refund(ctx context.Context, claim int64) error
}

// Open lists old claims.
type Open interface {
	Claims(ctx context.Context, limit int) ([]int64, error)
}

// Worker runs on every replica, once an hour.
type Worker struct {
	Payer Payer
	Open  Open
}

// Run pays up to a hundred claims.
func (w *Worker) Run(ctx context.Context) error {
	claims, err := w.Open.Claims(ctx, 100)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if err := w.Payer.Refund(ctx, c); err != nil { // EXPECT: self-call
			return fmt.Errorf("claim %d: %w", c, err)
		}
	}
	return nil
}
