// EXPECT-NONE

// Package lateexpiry drives sheep through gates.
package lateexpiry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"example.test/foundinga/lt12-late-expiry/gate"
)

type Farm struct {
	gate  *gate.Gate
	drive func(ctx context.Context, meadow int) error
}

func meadowKey(meadow int) string { return fmt.Sprintf("farm:meadow:%d", meadow) }

func barnKey(meadow int) string { return fmt.Sprintf("farm:barn:%d", meadow) }

// Drive drives the sheep to a meadow.
func (f *Farm) Drive(ctx context.Context, meadow int) error {
	return f.gate.Through(ctx, meadowKey(meadow), func(ctx context.Context) error {
		return f.drive(ctx, meadow)
	})
}

// Home drives them back.
func (f *Farm) Home(ctx context.Context, meadow int) (err error) {
	own := uuid.NewString()
	ok, err := f.gate.Pass(ctx, barnKey(meadow), own)
	if ok {
		defer func() {
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer stop()
			err = errors.Join(err, f.gate.Back(end, barnKey(meadow), own))
		}()
	}
	if err != nil {
		return fmt.Errorf("barn %d: %w", meadow, err)
	}
	if !ok {
		return gate.ErrShut
	}
	return f.drive(ctx, meadow)
}
