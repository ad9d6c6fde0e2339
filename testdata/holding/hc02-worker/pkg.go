// Package worker releases on contexts that end when the process does.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"example.test/holding/lease"
)

// Job is done in rounds.
type Job func(ctx context.Context) error

// Worker works.
type Worker struct {
	own   *lease.Locker
	every time.Duration
	job   Job
}

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	t := time.NewTicker(w.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := w.round(ctx); err != nil {
				slog.Warn("round", "err", err)
			}
		}
	}
}

func (w *Worker) round(ctx context.Context) error {
	held, err := w.own.Take(ctx, "worker:round", time.Minute)
	if errors.Is(err, lease.ErrTaken) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.FreeOn(ctx) // ALSO-OK: release-on-request-ctx
	return w.job(ctx)
}

// Main waits for a signal.
func (w *Worker) Main() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	held, err := w.own.Take(ctx, "worker:main", time.Minute)
	if err != nil {
		return err
	}
	defer held.FreeOn(ctx) // ALSO-OK: release-on-request-ctx
	return w.job(ctx)
}
