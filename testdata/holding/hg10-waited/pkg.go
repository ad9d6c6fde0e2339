// EXPECT-NONE

// Package waited starts goroutines in sections, and may.
package waited

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.test/holding/lease"
)

// Store keeps pictures.
type Store interface {
	Pictures(ctx context.Context, album string) ([]string, error)
	Shrink(ctx context.Context, picture string) error
	Done(ctx context.Context, album string) error
}

// Mailer tells people.
type Mailer interface {
	Tell(ctx context.Context, album string) error
}

// Albums works on albums.
type Albums struct {
	own   *lease.Locker
	db    *sql.DB
	store Store
	mail  Mailer
	hits  chan string
}

func albumKey(album string) string { return "waited:" + album }

const hold = time.Minute

// Group waits for the group.
func (a *Albums) Group(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	pictures, err := a.store.Pictures(ctx, album)
	if err != nil {
		return err
	}
	g, work := errgroup.WithContext(ctx)
	for _, p := range pictures {
		g.Go(func() error { return a.store.Shrink(work, p) })
	}
	return g.Wait()
}

// Channel waits for an answer.
func (a *Albums) Channel(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	done := make(chan error, 1)
	go func() { done <- a.store.Done(ctx, album) }()
	return <-done
}

// Deferred waits in a defer that runs before the release.
func (a *Albums) Deferred(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { _, _ = a.db.Exec(`UPDATE albums SET n = 0 WHERE name = ?`, album) })
	return nil
}

// Handed gives the lock to the goroutine.
func (a *Albums) Handed(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	go func() {
		work := context.WithoutCancel(ctx)
		defer held.Free(work)
		if err := a.store.Done(work, album); err != nil {
			slog.Error("done", "err", err)
		}
	}()
	return nil
}

// Notice tells people after the change.
func (a *Albums) Notice(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	if err := a.store.Done(ctx, album); err != nil {
		return err
	}
	go a.mail.Tell(context.WithoutCancel(ctx), album)
	return nil
}

// Log counts and logs.
func (a *Albums) Log(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	go func() {
		slog.Info("album", "name", album)
		a.hits <- album
	}()
	return a.store.Done(ctx, album)
}

// Before starts before it acquires, and after it has released.
func (a *Albums) Before(ctx context.Context, album string) error {
	go a.mail.Tell(ctx, album)
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	err = held.Free(ctx)
	go func() { _, _ = a.db.Exec(`INSERT INTO log (name) VALUES (?)`, album) }()
	return err
}

// Renewed extends in a goroutine.
func (a *Albums) Renewed(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		t := time.NewTicker(hold / 3)
		defer t.Stop()
		for {
			select {
			case <-work.Done():
				return
			case <-t.C:
				if ok, err := held.Renew(work); err != nil || !ok {
					cancel()
					return
				}
			}
		}
	}()
	return a.store.Done(work, album)
}

// Under waits in the function that a helper runs under its lock.
func (a *Albums) Under(ctx context.Context, album string, pictures []string) error {
	return a.own.With(ctx, albumKey(album), hold, func(ctx context.Context) error {
		var wg sync.WaitGroup
		for _, p := range pictures {
			wg.Go(func() { _ = a.store.Shrink(ctx, p) })
		}
		wg.Wait()
		return nil
	})
}
