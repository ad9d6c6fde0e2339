// EXPECT-NONE

// Package swapped locks two accounts in the order of their keys.
package swapped

import (
	"context"

	"github.com/go-redsync/redsync/v4"
)

// Move runs a transfer while it holds both mutexes; the lower key comes first.
func Move(ctx context.Context, rs *redsync.Redsync, from, to string, transfer func(context.Context) error) error {
	source, target := rs.NewMutex(from), rs.NewMutex(to)
	low, high := source, target
	if to < from {
		low, high = high, low
	}
	if err := low.LockContext(ctx); err != nil {
		return err
	}
	defer func() { _, _ = low.UnlockContext(context.WithoutCancel(ctx)) }()
	if err := high.LockContext(ctx); err != nil {
		return err
	}
	defer func() { _, _ = high.UnlockContext(context.WithoutCancel(ctx)) }()
	if err := transfer(ctx); err != nil {
		return err
	}
	_, err := source.ExtendContext(ctx)
	return err
}
