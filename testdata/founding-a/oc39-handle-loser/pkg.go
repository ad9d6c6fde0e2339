// Package handleloser fells the trees of a forest.
package handleloser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.test/foundinga/oc39-handle-loser/permit"
)

var ErrTree = errors.New("somebody works at this tree")

type Forest struct {
	office *permit.Office
	fell   func(ctx context.Context, tree int64) error
}

func treeKey(tree int64) string { return fmt.Sprintf("forest:tree:%d", tree) }

func (f *Forest) giveBack(ctx context.Context, p *permit.Permit) {
	if err := p.Return(ctx); err != nil {
		slog.Warn("permit", "err", err)
	}
}

// Fell gives the permit back, granted or not.
func (f *Forest) Fell(ctx context.Context, tree int64) error {
	p, err := f.office.Ask(ctx, treeKey(tree), 30*time.Second)
	if err != nil {
		return fmt.Errorf("tree %d: %w", tree, err)
	}
	defer f.giveBack(ctx, p) // EXPECT: release-not-acquired
	if !p.Granted() {
		return ErrTree
	}
	return f.fell(ctx, tree)
}

// Prune gives the permit back if it was granted.
func (f *Forest) Prune(ctx context.Context, tree int64) error {
	p, err := f.office.Ask(ctx, treeKey(tree), 30*time.Second)
	if err != nil {
		return fmt.Errorf("tree %d: %w", tree, err)
	}
	if !p.Granted() {
		return ErrTree
	}
	defer f.giveBack(ctx, p)
	return f.fell(ctx, tree)
}
