// Package nightshift runs jobs at night.
package nightshift

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"example.test/acquiring/aq14-night-shift/lockkit"
)

var ErrLater = errors.New("later")

type App struct {
	l    lockkit.Locker
	l2   *lockkit.Locker2
	work func(ctx context.Context) error
}

func jobKey(j string) string { return "job:" + j }

// Sweep throws the difference away.
func (a *App) Sweep(ctx context.Context, j string) error {
	l, err := a.l.TryLock(ctx, jobKey(j), time.Minute)
	if err != nil { // EXPECT: error-conflated
		return ErrLater
	}
	defer l.Unlock(ctx)
	return a.work(ctx)
}

// Polish stops for the one sentinel.
func (a *App) Polish(ctx context.Context, j string) error {
	l, err := a.l.TryLock(ctx, jobKey(j), time.Minute)
	if errors.Is(err, lockkit.ErrLocked) { // EXPECT: fail-open
		return ErrLater
	}
	if l != nil {
		defer l.Unlock(ctx)
	}
	return a.work(ctx)
}

// Scrub logs the other sentinel, and goes on.
func (a *App) Scrub(ctx context.Context, j string) error {
	l, err := a.l.TryLock(ctx, jobKey(j), time.Minute)
	switch {
	case errors.Is(err, lockkit.ErrBackend): // EXPECT: fail-open
		slog.Error("lock backend", "err", err)
	case err != nil:
		return err
	default:
		defer l.Unlock(ctx)
	}
	return a.work(ctx)
}

// Mop goes on.
func (a *App) Mop(ctx context.Context, j string) error {
	l, err := a.l.TryLock(ctx, jobKey(j), time.Minute) // EXPECT: acquire-ignored
	if err == nil {
		defer l.Unlock(ctx)
	}
	return a.work(ctx)
}

// Dust is right.
func (a *App) Dust(ctx context.Context, j string) error {
	l, err := a.l.TryLock(ctx, jobKey(j), time.Minute)
	if err != nil {
		return fmt.Errorf("job %s: %w", j, err)
	}
	defer l.Unlock(ctx)
	return a.work(ctx)
}

// Wash cannot know better.
func (a *App) Wash(ctx context.Context, j string) error {
	tok := uuid.NewString()
	if !a.l2.Acquire(ctx, jobKey(j), tok, time.Minute) {
		return ErrLater
	}
	defer a.l2.Release(ctx, jobKey(j), tok)
	return a.work(ctx)
}

// Rinse waits in a helper.
func (a *App) Rinse(ctx context.Context, j string) error {
	tok := uuid.NewString()
	if err := a.l2.Wait(ctx, jobKey(j), tok, time.Minute, 50*time.Millisecond); err != nil {
		return err
	}
	defer a.l2.Release(ctx, jobKey(j), tok)
	return a.work(ctx)
}

// Patrol is right: the one is expected, and the other is told.
func (a *App) Patrol(ctx context.Context) {
	l, err := a.l.TryLock(ctx, "cron", time.Minute)
	if errors.Is(err, lockkit.ErrLocked) {
		return
	}
	if err != nil {
		slog.Error("lock", "err", err)
		return
	}
	defer l.Unlock(ctx)
	if err := a.work(ctx); err != nil {
		slog.Error("work", "err", err)
	}
}

// Tidy says the same for both.
func (a *App) Tidy(ctx context.Context) {
	l, err := a.l.TryLock(ctx, "cron", time.Minute)
	if err != nil { // EXPECT: error-conflated
		slog.Info("already running")
		return
	}
	defer l.Unlock(ctx)
	if err := a.work(ctx); err != nil {
		slog.Error("work", "err", err)
	}
}

// Sort waits around a helper.
func (a *App) Sort(ctx context.Context, j string) error {
	var l lockkit.Lock
	for { // EXPECT: polling-wait
		var err error
		l, err = a.l.TryLock(ctx, jobKey(j), time.Minute)
		if err == nil {
			break
		}
		if !errors.Is(err, lockkit.ErrLocked) {
			return err
		}
		time.Sleep(time.Second)
	}
	defer l.Unlock(ctx)
	return a.work(ctx)
}
