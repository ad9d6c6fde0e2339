// EXPECT-NONE

// Package synctable rehearses plays.
package synctable

import (
	"context"

	"example.test/foundinga/oc30-sync-table/stage"
)

type Rehearsal struct {
	stages *stage.Stages
	play   func(ctx context.Context, stage int, act int) error
}

// Act rehearses one act on a stage.
func (r *Rehearsal) Act(ctx context.Context, n, act int) error {
	return r.stages.On(ctx, n, func(ctx context.Context) error {
		return r.play(ctx, n, act)
	})
}
