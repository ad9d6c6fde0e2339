// Package libraryetcd repairs battery cells under locks that wait by themselves.
package libraryetcd

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/rueidis/rueidislock"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type Cells struct {
	session *concurrency.Session
	locker  rueidislock.Locker
	repair  func(ctx context.Context, cell int) error
}

func cellKey(cell int) string { return fmt.Sprintf("/cells/%d", cell) }

// Repair waits on a context that nothing ends.
func (c *Cells) Repair(cell int) error {
	m := concurrency.NewMutex(c.session, cellKey(cell))
	if err := m.Lock(context.Background()); err != nil { // EXPECT: unbounded-wait
		return err
	}
	defer m.Unlock(context.Background())
	return c.repair(context.Background(), cell)
}

// Replace does so with rueidis.
func (c *Cells) Replace(cell int) error {
	ctx, cancel, err := c.locker.WithContext(context.TODO(), cellKey(cell)) // EXPECT: unbounded-wait
	if err != nil {
		return err
	}
	defer cancel()
	return c.repair(ctx, cell)
}

// RepairFor waits a minute at most.
func (c *Cells) RepairFor(ctx context.Context, cell int) error {
	wait, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	m := concurrency.NewMutex(c.session, cellKey(cell))
	if err := m.Lock(wait); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return c.repair(ctx, cell)
}

// ReplaceFor waits for as long as its caller does.
func (c *Cells) ReplaceFor(ctx context.Context, cell int) error {
	held, cancel, err := c.locker.WithContext(ctx, cellKey(cell))
	if err != nil {
		return err
	}
	defer cancel()
	return c.repair(held, cell)
}

// ReplaceNow does not wait.
func (c *Cells) ReplaceNow(cell int) error {
	ctx, cancel, err := c.locker.TryWithContext(context.Background(), cellKey(cell))
	if err != nil {
		return err
	}
	defer cancel()
	return c.repair(ctx, cell)
}

// RepairNow does not wait either.
func (c *Cells) RepairNow(cell int) error {
	m := concurrency.NewMutex(c.session, cellKey(cell))
	if err := m.TryLock(context.Background()); err != nil {
		return err
	}
	defer m.Unlock(context.Background())
	return c.repair(context.Background(), cell)
}
