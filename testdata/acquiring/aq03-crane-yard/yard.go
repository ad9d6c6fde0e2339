// Package craneyard moves containers, one crane at a time.
package craneyard

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

var ErrCrane = errors.New("crane is moving")

type Yard struct {
	locks *redislock.Client
	rs    *redsync.Redsync
	move  func(ctx context.Context, crane string) error
}

func craneKey(crane string) string { return "yard:crane:" + crane }

func end(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Second)
}

// Lift drops the error of Obtain.
func (y *Yard) Lift(ctx context.Context, crane string) error {
	lock, _ := y.locks.Obtain(ctx, craneKey(crane), 30*time.Second, nil) // EXPECT: acquire-ignored
	if lock != nil {
		defer func() {
			c, stop := end(ctx)
			defer stop()
			lock.Release(c)
		}()
	}
	return y.move(ctx, crane)
}

// Lower logs that the lock is taken.
func (y *Yard) Lower(ctx context.Context, crane string) error {
	m := y.rs.NewMutex(craneKey(crane))
	if err := m.LockContext(ctx); err != nil { // EXPECT: acquire-ignored
		log.Printf("crane %s: %v", crane, err)
	}
	defer m.Unlock()
	return y.move(ctx, crane)
}

// Turn logs and goes on only when the lock is its own.
func (y *Yard) Turn(ctx context.Context, crane string) error {
	m := y.rs.NewMutex(craneKey(crane))
	if err := m.LockContext(ctx); err != nil {
		log.Printf("crane %s: %v", crane, err)
		return fmt.Errorf("crane %s: %w", crane, err)
	}
	defer m.Unlock()
	return y.move(ctx, crane)
}

// Park is right, if written backwards.
func (y *Yard) Park(ctx context.Context, crane string) error {
	lock, err := y.locks.Obtain(ctx, craneKey(crane), 30*time.Second, nil)
	if err == nil {
		defer func() {
			c, stop := end(ctx)
			defer stop()
			lock.Release(c)
		}()
		return y.move(ctx, crane)
	}
	if errors.Is(err, redislock.ErrNotObtained) {
		return ErrCrane
	}
	return fmt.Errorf("crane %s: %w", crane, err)
}

// Grease leaves the difference to a function of its own.
func (y *Yard) Grease(ctx context.Context, crane string) error {
	lock, err := y.locks.Obtain(ctx, craneKey(crane), 30*time.Second, nil)
	if err := asYard(err); err != nil {
		return err
	}
	defer func() {
		c, stop := end(ctx)
		defer stop()
		lock.Release(c)
	}()
	return y.move(ctx, crane)
}

func asYard(err error) error {
	if errors.Is(err, redislock.ErrNotObtained) {
		return ErrCrane
	}
	return err
}

// Watch counts who wins, and does the work only then.
func (y *Yard) Watch(ctx context.Context, cranes []string) (won int, err error) {
	for _, c := range cranes {
		m := y.rs.NewMutex(craneKey(c))
		if err := m.TryLockContext(ctx); err != nil {
			var taken *redsync.ErrTaken
			if errors.As(err, &taken) {
				continue
			}
			return won, err
		}
		won++
		err = y.move(ctx, c)
		m.Unlock()
		if err != nil {
			return won, err
		}
	}
	return won, nil
}
