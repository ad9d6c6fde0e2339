// Package double books rooms behind an interface of which its own tests have a double.
package double

import (
	"context"
	"errors"
	"time"
)

// ErrBusy says that somebody else books the room.
var ErrBusy = errors.New("room is being booked")

// Locker is what the desk needs.
type Locker interface {
	TryLock(ctx context.Context, key string, lease time.Duration) (bool, error)
	Unlock(ctx context.Context, key string) error
}

// Desk books rooms.
type Desk struct {
	locks Locker
	write func(ctx context.Context, room string) error
}

// NewDesk makes one.
func NewDesk(locks Locker, write func(ctx context.Context, room string) error) *Desk {
	return &Desk{locks: locks, write: write}
}

func roomKey(room string) string { return "booking:room:" + room }

// Book books one room.
func (d *Desk) Book(ctx context.Context, room string) error {
	ok, err := d.locks.TryLock(ctx, roomKey(room), 20*time.Second)
	if err != nil {
		return err
	}
	if !ok {
		return ErrBusy
	}
	defer func() { _ = d.locks.Unlock(context.WithoutCancel(ctx), roomKey(room)) }()
	return d.write(ctx, room)
}
