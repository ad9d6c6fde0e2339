// Package consumer settles bills. It declares the lock that it needs and knows nothing of Redis.
package consumer

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Locker is what the settlement needs.
type Locker interface {
	TryLock(ctx context.Context, name string, ttl time.Duration) (bool, error)
	Unlock(ctx context.Context, name string) error
}

// Bills are settled one at a time.
type Bills interface {
	Settle(ctx context.Context, bill int64) error
}

// Settler settles.
type Settler struct {
	Locks Locker
	Bills Bills
}

var errBusy = errors.New("bill is being settled")

func billKey(bill int64) string { return "bill:" + strconv.FormatInt(bill, 10) + ":settle" }

// Settle settles one bill.
func (s *Settler) Settle(ctx context.Context, bill int64) error {
	key := billKey(bill)
	ok, err := s.Locks.TryLock(ctx, key, 5*time.Hour) // EXPECT: long-ttl
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer s.Locks.Unlock(context.WithoutCancel(ctx), key)
	return s.Bills.Settle(ctx, bill)
}
