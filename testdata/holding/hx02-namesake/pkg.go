// EXPECT-NONE

// Package namesake has a constructor that is called like the library's, and hands out a mutex that is held already.
package namesake

import (
	"context"
	"errors"

	"github.com/go-redsync/redsync/v4"
)

var errLost = errors.New("the lock was lost")

var held *redsync.Mutex

// NewMutex is the mutex that this process holds.
func NewMutex() *redsync.Mutex { return held }

// Leave frees it.
func Leave(ctx context.Context) error {
	m := NewMutex()
	ok, err := m.UnlockContext(ctx)
	if err == nil && !ok {
		err = errLost
	}
	return err
}
