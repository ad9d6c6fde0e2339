// Package crane lifts containers from and onto ships.
package crane

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
)

var errLost = errors.New("container was let go early")

// Hook does the work.
type Hook interface {
	Lift(ctx context.Context, container int64) error
}

type Crane struct {
	Locks *redsync.Redsync
	Hook  Hook
}

// liftKey is held while a container is moved, as in the yard.
func liftKey(container int64) string {
	return fmt.Sprintf("yard:contaner:%d", container) // EXPECT: mismatched-prefix
}

// Lift lifts a container.
func (c *Crane) Lift(ctx context.Context, container int64) (err error) {
	m := c.Locks.NewMutex(liftKey(container), redsync.WithExpiry(30*time.Second), redsync.WithTries(3))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("lift: %w", err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return c.Hook.Lift(work, container)
}
