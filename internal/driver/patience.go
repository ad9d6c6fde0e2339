package driver

import (
	"context"
	"fmt"
	"time"
)

// grace is how long a run that is to end may go on: units cannot be stopped half-way, and most take less.
const grace = 2 * time.Second

// finish runs f, which ends early when the context does. If it does not in good time, it is left behind: whoever waits
// for an answer to an interrupt must get one.
func finish(ctx context.Context, f func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- noPanic(func() error { return f(ctx) }) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return interrupted(ctx)
	}
}

// noPanic makes an error of a fault of ours.
func noPanic(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %s; please report it", firstLine(fmt.Sprint(r)))
		}
	}()
	return f()
}

// safely runs what is to be done with one package: a fault of ours costs that package, not the run.
func safely(n *node, f func()) {
	if err := noPanic(func() error { f(); return nil }); err != nil {
		n.failed = []string{err.Error()}
		n.forget()
	}
}
