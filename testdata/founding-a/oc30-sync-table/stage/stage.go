// EXPECT-NONE

// Package stage owns the stages of a theatre.
package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/oc30-sync-table/registry"
)

type Stages struct{ reg *registry.Registry }

func New(reg *registry.Registry) *Stages { return &Stages{reg: reg} }

func stageKey(stage int) string { return fmt.Sprintf("theatre:stage:%d", stage) }

// On runs fn on a stage.
func (s *Stages) On(ctx context.Context, stage int, fn func(context.Context) error) (err error) {
	if err := s.reg.Own(ctx, stageKey(stage), 30*time.Second); err != nil {
		return fmt.Errorf("stage %d: %w", stage, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, s.reg.Disown(end, stageKey(stage)))
	}()
	return fn(ctx)
}
