// Package hotel assigns rooms.
package hotel

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var ErrRoomTaken = errors.New("somebody else assigns this room")

// Cache is the quick memory of the front desk.
type Cache interface {
	RoomState(ctx context.Context, room int64) (string, error)
	SetRoomState(ctx context.Context, room int64, state string) error
	LockRoom(ctx context.Context, room int64, d time.Duration) (bool, error)
	UnlockRoom(ctx context.Context, room int64) error
}

// Book is the ledger of stays.
type Book interface {
	Assign(ctx context.Context, room, guest int64) error
}

type Desk struct {
	cache Cache
	book  Book
}

func NewDesk(cache Cache, book Book) *Desk { return &Desk{cache: cache, book: book} }

// CheckIn gives a room to a guest.
func (d *Desk) CheckIn(ctx context.Context, room, guest int64) (err error) {
	switch ok, err := d.cache.LockRoom(ctx, room, 15*time.Second); {
	case err != nil:
		return fmt.Errorf("room %d: %w", room, err)
	case !ok:
		return ErrRoomTaken
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		err = errors.Join(err, d.cache.UnlockRoom(end, room))
	}()
	if err := d.book.Assign(ctx, room, guest); err != nil {
		return err
	}
	return d.cache.SetRoomState(ctx, room, "taken")
}
