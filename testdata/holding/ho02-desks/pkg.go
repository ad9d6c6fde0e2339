// Package desks moves guests and takes locks in somebody else's order.
package desks

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"

	"example.test/holding/lease"
)

// Rooms is changed.
type Rooms interface {
	Move(ctx context.Context, from, to int64) error
}

// Desks moves.
type Desks struct {
	own   *lease.Locker
	locks *redislock.Client
	rs    *redsync.Redsync
	rooms Rooms
	rdb   *redis.Client
}

const hold = time.Minute

func roomKey(room int64) string    { return fmt.Sprintf("desks:room:%d", room) }
func guestKey(guest string) string { return "desks:guest:" + guest }

// Swap takes the rooms as they are named.
func (d *Desks) Swap(ctx context.Context, a, b int64) error {
	first, err := d.own.Wait(ctx, roomKey(a), hold)
	if err != nil {
		return err
	}
	defer first.Free(ctx)
	second, err := d.own.Wait(ctx, roomKey(b), hold) // EXPECT: lock-order
	if err != nil {
		return err
	}
	defer second.Free(ctx)
	return d.rooms.Move(ctx, a, b)
}

// Transfer is a request.
type Transfer struct{ From, To int64 }

// Nested takes them in closures.
func (d *Desks) Nested(ctx context.Context, t Transfer) error {
	return d.own.With(ctx, roomKey(t.From), hold, func(ctx context.Context) error {
		return d.own.With(ctx, roomKey(t.To), hold, func(ctx context.Context) error { // EXPECT: lock-order
			return d.rooms.Move(ctx, t.From, t.To)
		})
	})
}

func (d *Desks) into(ctx context.Context, to int64, work func() error) error {
	m := d.rs.NewMutex("desks:bed:" + strconv.FormatInt(to, 10))
	if err := m.LockContext(ctx); err != nil { // EXPECT: lock-order
		return err
	}
	defer m.Unlock()
	return work()
}

// Beds takes the second one in a helper.
func (d *Desks) Beds(ctx context.Context, from, to int64) error {
	m := d.rs.NewMutex("desks:bed:" + strconv.FormatInt(from, 10))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	return d.into(ctx, to, func() error { return d.rooms.Move(ctx, from, to) }) // ALSO-OK: lock-order
}

// All takes a whole list.
func (d *Desks) All(ctx context.Context, rooms []int64) error {
	for _, r := range rooms {
		held, err := d.own.Wait(ctx, roomKey(r), hold) // EXPECT: lock-order
		if err != nil {
			return err
		}
		defer held.Free(ctx)
	}
	return d.rooms.Move(ctx, rooms[0], rooms[1])
}

// List keeps them in a list.
func (d *Desks) List(ctx context.Context, rooms []int64) error {
	var held []*redsync.Mutex
	defer func() {
		for _, m := range held {
			_, _ = m.Unlock()
		}
	}()
	for _, r := range rooms {
		m := d.rs.NewMutex(fmt.Sprintf("desks:list:%d", r))
		if err := m.LockContext(ctx); err != nil { // EXPECT: lock-order
			return err
		}
		held = append(held, m)
	}
	return d.rooms.Move(ctx, rooms[0], rooms[1])
}

// CheckIn takes the guest, then the room.
func (d *Desks) CheckIn(ctx context.Context, guest string, room int64) error {
	return d.own.With(ctx, guestKey(guest), hold, func(ctx context.Context) error {
		return d.own.With(ctx, roomKey(room), hold, func(ctx context.Context) error { // ALSO-OK: lock-order
			return d.rooms.Move(ctx, 0, room)
		})
	})
}

// CheckOut takes the room, then the guest.
func (d *Desks) CheckOut(ctx context.Context, guest string, room int64) error {
	held, err := d.own.Wait(ctx, roomKey(room), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	return d.own.With(ctx, guestKey(guest), hold, func(ctx context.Context) error { // EXPECT: lock-order
		return d.rooms.Move(ctx, room, 0)
	})
}

// Obtain waits by the library.
func (d *Desks) Obtain(ctx context.Context, from, to int64) error {
	retry := &redislock.Options{RetryStrategy: redislock.LinearBackoff(50 * time.Millisecond)}
	a, err := d.locks.Obtain(ctx, fmt.Sprintf("desks:key:%d", from), hold, retry)
	if err != nil {
		return err
	}
	defer a.Release(context.WithoutCancel(ctx))
	b, err := d.locks.Obtain(ctx, fmt.Sprintf("desks:key:%d", to), hold, retry) // EXPECT: lock-order
	if err != nil {
		return err
	}
	defer b.Release(context.WithoutCancel(ctx))
	return d.rooms.Move(ctx, from, to)
}

// lock waits for a key of a room; unlock gives it back to whoever asks.
func (d *Desks) lock(ctx context.Context, room int64) error {
	for {
		ok, err := d.rdb.SetNX(ctx, "desks:keyed:"+strconv.FormatInt(room, 10), "1", hold).Result()
		if err != nil || ok {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (d *Desks) unlock(ctx context.Context, room int64) {
	d.rdb.Del(context.WithoutCancel(ctx), "desks:keyed:"+strconv.FormatInt(room, 10))
}

// Keyed locks by keys in one loop and unlocks in another one.
func (d *Desks) Keyed(ctx context.Context, rooms []int64) error {
	for _, r := range rooms {
		if err := d.lock(ctx, r); err != nil { // EXPECT: lock-order
			return err
		}
	}
	err := d.rooms.Move(ctx, rooms[0], rooms[1])
	for _, r := range rooms {
		d.unlock(ctx, r)
	}
	return err
}
