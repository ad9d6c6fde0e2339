// Package wait tries until something says yes.
package wait

import (
	"context"
	"time"
)

// Until tries at a fixed pause, for ever.
func Until(try func() bool) {
	for { // EXPECT: unbounded-wait
		if try() {
			return
		}
		time.Sleep(time.Second / 10)
	}
}

// For tries at a fixed pause until the context ends.
func For(ctx context.Context, every time.Duration, try func(context.Context) (bool, error)) error {
	for { // EXPECT: polling-wait
		ok, err := try(ctx)
		if err != nil {
			return err
		}
		if ok {
			return nil
		}
		t := time.NewTimer(every)
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
}

// Growing tries with a growing pause until the context ends.
func Growing[T any](ctx context.Context, arg T, try func(context.Context, T) (bool, error)) error {
	for pause := 5 * time.Millisecond; ; pause += pause {
		ok, err := try(ctx, arg)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
