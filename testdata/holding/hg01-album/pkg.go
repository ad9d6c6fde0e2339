// Package album makes pictures smaller and does not wait for it.
package album

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/panjf2000/ants/v2"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"example.test/holding/lease"
)

// Store keeps pictures.
type Store interface {
	Pictures(ctx context.Context, album string) ([]string, error)
	Shrink(ctx context.Context, picture string) error
}

// Albums works on albums.
type Albums struct {
	own   *lease.Locker
	rs    *redsync.Redsync
	db    *sql.DB
	orm   *gorm.DB
	pool  *ants.Pool
	store Store
}

func albumKey(album string) string { return "album:" + album }

const hold = time.Minute

// Rebuild starts all and returns.
func (a *Albums) Rebuild(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	pictures, err := a.store.Pictures(ctx, album)
	if err != nil {
		return err
	}
	for _, p := range pictures {
		go func() { // EXPECT: goroutine-outlives-lock
			if err := a.store.Shrink(context.WithoutCancel(ctx), p); err != nil {
				slog.Error("shrink", "picture", p, "err", err)
			}
		}()
	}
	return nil
}

// Count writes the number of pictures in a goroutine.
func (a *Albums) Count(ctx context.Context, album string) error {
	m := a.rs.NewMutex(albumKey(album))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	pictures, err := a.store.Pictures(ctx, album)
	if err != nil {
		return err
	}
	go a.write(album, len(pictures)) // EXPECT: goroutine-outlives-lock
	return nil
}

func (a *Albums) write(album string, n int) {
	if _, err := a.db.Exec(`UPDATE albums SET n = ? WHERE name = ?`, n, album); err != nil {
		slog.Error("count", "err", err)
	}
}

// Pool hands jobs to a pool.
func (a *Albums) Pool(ctx context.Context, album string, pictures []string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	for _, p := range pictures {
		if err := a.pool.Submit(func() { a.orm.Exec("DELETE FROM pictures WHERE name = ?", p) }); err != nil { // EXPECT: goroutine-outlives-lock
			return err
		}
	}
	return nil
}

// Group starts a group and nobody waits for it.
func (a *Albums) Group(ctx context.Context, album string, pictures []string) error {
	var g errgroup.Group
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	for _, p := range pictures {
		g.Go(func() error { return a.store.Shrink(ctx, p) }) // EXPECT: goroutine-outlives-lock
	}
	return held.Free(ctx)
}

// safely runs a function in a goroutine that recovers.
func safely(fn func()) {
	go func() {
		defer func() { _ = recover() }()
		fn()
	}()
}

// Helper starts it by a helper.
func (a *Albums) Helper(ctx context.Context, album string) error {
	release, err := a.own.Acquire(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer release()
	safely(func() { a.write(album, 0) }) // EXPECT: goroutine-outlives-lock
	return nil
}

// Late waits, but only after the release.
func (a *Albums) Late(ctx context.Context, album string) error {
	var wg sync.WaitGroup
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	wg.Go(func() { a.write(album, 1) }) // EXPECT: goroutine-outlives-lock
	err = held.Free(ctx)
	wg.Wait()
	return err
}

// After writes when a timer says so.
func (a *Albums) After(ctx context.Context, album string) error {
	held, err := a.own.Take(ctx, albumKey(album), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	time.AfterFunc(time.Minute, func() { a.write(album, 2) }) // EXPECT: goroutine-outlives-lock
	return nil
}

// Under starts goroutines in a function that a helper runs under its lock.
func (a *Albums) Under(ctx context.Context, album string) error {
	return a.own.With(ctx, albumKey(album), hold, func(ctx context.Context) error {
		pictures, err := a.store.Pictures(ctx, album)
		if err != nil {
			return err
		}
		for _, p := range pictures {
			go a.store.Shrink(context.WithoutCancel(ctx), p) // EXPECT: goroutine-outlives-lock
		}
		return nil
	})
}
