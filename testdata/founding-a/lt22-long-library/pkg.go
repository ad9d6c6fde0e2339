// Package longlibrary prints the catalogues of a museum.
package longlibrary

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// perPage is how long a page may take.
const perPage = 10 * time.Minute

type Museum struct {
	rs    *redsync.Redsync
	rdb   redis.Cmdable
	print func(ctx context.Context, part int) error
}

func New(rdb *redis.Client, print func(context.Context, int) error) *Museum {
	return &Museum{rs: redsync.New(goredis.NewPool(rdb)), rdb: rdb, print: print}
}

func catalogueKey(part int) string { return fmt.Sprintf("museum:catalogue:%d", part) }

func posterKey(part int) string { return fmt.Sprintf("museum:poster:%d", part) }

// Print holds the catalogue for hours, should its machine fail.
func (m *Museum) Print(ctx context.Context, part int) (err error) {
	mu := m.rs.NewMutex(catalogueKey(part), redsync.WithTries(3), redsync.WithExpiry(12*perPage)) // EXPECT: long-ttl
	if err := mu.LockContext(ctx); err != nil {                                                   // ALSO-OK: long-ttl
		return fmt.Errorf("catalogue %d: %w", part, err)
	}
	defer func() { err = errors.Join(err, unlock(ctx, mu)) }()
	return m.print(ctx, part)
}

// Poster takes as long, but its lease is short and prolonged until the poster is done.
func (m *Museum) Poster(ctx context.Context, part int) (err error) {
	mu := m.rs.NewMutex(posterKey(part), redsync.WithExpiry(30*time.Second))
	if err := mu.LockContext(ctx); err != nil {
		return fmt.Errorf("poster %d: %w", part, err)
	}
	work, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(keep(work, mu))
	}()
	defer func() {
		cancel(nil)
		<-done
		err = errors.Join(err, unlock(ctx, mu))
	}()
	long, stop := context.WithTimeout(work, 2*time.Hour)
	defer stop()
	return m.print(long, part)
}

func keep(ctx context.Context, mu *redsync.Mutex) error {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if ok, err := mu.ExtendContext(ctx); err != nil || !ok {
				return errors.Join(errors.New("lease lost"), err)
			}
		}
	}
}

func unlock(ctx context.Context, mu *redsync.Mutex) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	ok, err := mu.UnlockContext(end)
	if err == nil && !ok {
		err = errors.New("lock was lost")
	}
	return err
}
