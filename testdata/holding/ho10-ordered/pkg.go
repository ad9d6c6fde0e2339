// EXPECT-NONE

// Package ordered takes several locks, and cannot block itself or another flow.
package ordered

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"

	"example.test/holding/lease"
)

// Rooms is changed.
type Rooms interface {
	Move(ctx context.Context, from, to int64) error
}

// Desks moves.
type Desks struct {
	own    *lease.Locker
	locks  *redislock.Client
	rs     *redsync.Redsync
	rooms  Rooms
	strict bool
}

const hold = time.Minute

func roomKey(room int64) string { return fmt.Sprintf("ordered:room:%d", room) }

// MinMax takes the smaller one first.
func (d *Desks) MinMax(ctx context.Context, a, b int64) error {
	return d.own.With(ctx, roomKey(min(a, b)), hold, func(ctx context.Context) error {
		return d.own.With(ctx, roomKey(max(a, b)), hold, func(ctx context.Context) error {
			return d.rooms.Move(ctx, a, b)
		})
	})
}

// Swapped swaps first.
func (d *Desks) Swapped(ctx context.Context, a, b int64) error {
	first, second := a, b
	if second < first {
		first, second = second, first
	}
	one, err := d.own.Wait(ctx, roomKey(first), hold)
	if err != nil {
		return err
	}
	defer one.Free(ctx)
	two, err := d.own.Wait(ctx, roomKey(second), hold)
	if err != nil {
		return err
	}
	defer two.Free(ctx)
	return d.rooms.Move(ctx, a, b)
}

// Turned calls itself the other way round.
func (d *Desks) Turned(ctx context.Context, a, b int64) error {
	if a > b {
		return d.Turned(ctx, b, a)
	}
	return d.own.With(ctx, roomKey(a), hold, func(ctx context.Context) error {
		return d.own.With(ctx, roomKey(b), hold, func(ctx context.Context) error {
			return d.rooms.Move(ctx, a, b)
		})
	})
}

// Sorted sorts the list.
func (d *Desks) Sorted(ctx context.Context, rooms []int64) error {
	slices.Sort(rooms)
	for _, r := range slices.Compact(rooms) {
		held, err := d.own.Wait(ctx, roomKey(r), hold)
		if err != nil {
			return err
		}
		defer held.Free(ctx)
	}
	return d.rooms.Move(ctx, rooms[0], rooms[1])
}

// SortedList sorts by a function.
func (d *Desks) SortedList(ctx context.Context, rooms []int64) error {
	sort.Slice(rooms, func(i, j int) bool { return rooms[i] < rooms[j] })
	var held []*redsync.Mutex
	defer func() {
		for _, m := range held {
			_, _ = m.Unlock()
		}
	}()
	for _, r := range rooms {
		m := d.rs.NewMutex(roomKey(r))
		if err := m.LockContext(ctx); err != nil {
			return err
		}
		held = append(held, m)
	}
	return d.rooms.Move(ctx, rooms[0], rooms[1])
}

// Once tries once and gives everything back.
func (d *Desks) Once(ctx context.Context, from, to int64) error {
	a, err := d.locks.Obtain(ctx, roomKey(from), hold, nil)
	if err != nil {
		return err
	}
	defer a.Release(context.WithoutCancel(ctx))
	b, err := d.locks.Obtain(ctx, roomKey(to), hold, nil)
	if err != nil {
		return err
	}
	defer b.Release(context.WithoutCancel(ctx))
	return d.rooms.Move(ctx, from, to)
}

// OneByOne holds one at a time.
func (d *Desks) OneByOne(ctx context.Context, rooms []int64) error {
	for _, r := range rooms {
		if err := d.own.With(ctx, roomKey(r), hold, func(ctx context.Context) error { return d.rooms.Move(ctx, r, 0) }); err != nil {
			return err
		}
	}
	return nil
}

// Always takes the hotel, then the room, everywhere.
func (d *Desks) Always(ctx context.Context, hotel string, room int64) error {
	return d.own.With(ctx, "ordered:hotel:"+hotel, hold, func(ctx context.Context) error {
		return d.own.With(ctx, roomKey(room), hold, func(ctx context.Context) error { return d.rooms.Move(ctx, room, 0) })
	})
}

type heldKey struct{}

// Reenter knows by the context that the lock is held.
func (d *Desks) Reenter(ctx context.Context, room int64, fn func(context.Context) error) error {
	if ctx.Value(heldKey{}) != nil {
		return fn(ctx)
	}
	return d.own.With(context.WithValue(ctx, heldKey{}, room), roomKey(room), hold, fn)
}

// Deep uses it twice.
func (d *Desks) Deep(ctx context.Context, room int64) error {
	return d.Reenter(ctx, room, func(ctx context.Context) error {
		return d.Reenter(ctx, room, func(ctx context.Context) error { return d.rooms.Move(ctx, room, 0) })
	})
}

// move takes the lock unless its caller says that it is held.
func (d *Desks) move(ctx context.Context, room int64, locked bool) error {
	if !locked {
		held, err := d.own.Wait(ctx, roomKey(room), hold)
		if err != nil {
			return err
		}
		defer held.Free(ctx)
	}
	return d.rooms.Move(ctx, room, 0)
}

// Flagged says so.
func (d *Desks) Flagged(ctx context.Context, room int64) error {
	return d.own.With(ctx, roomKey(room), hold, func(ctx context.Context) error { return d.move(ctx, room, true) })
}

// Again takes the same lock after it was released.
func (d *Desks) Again(ctx context.Context, room int64) error {
	for range 2 {
		held, err := d.own.Wait(ctx, roomKey(room), hold)
		if err != nil {
			return err
		}
		err = d.rooms.Move(ctx, room, 0)
		if ferr := held.Free(ctx); ferr != nil || err != nil {
			return err
		}
	}
	return d.move(ctx, room, false)
}

// Second tries once more where the first attempt found the lock taken.
func (d *Desks) Second(ctx context.Context, room int64) error {
	m := d.rs.NewMutex(roomKey(room))
	err := m.TryLockContext(ctx)
	if err != nil {
		time.Sleep(time.Second)
		err = m.LockContext(ctx)
	}
	if err != nil {
		return err
	}
	defer m.Unlock()
	return d.rooms.Move(ctx, room, 0)
}

// tree walks down; every node has its own lock.
type tree struct {
	id   int64
	kids []*tree
}

// Walk locks a node while it walks its children.
func (d *Desks) Walk(ctx context.Context, t *tree) error {
	return d.own.With(ctx, roomKey(t.id), hold, func(ctx context.Context) error {
		for _, k := range t.kids {
			if err := d.Walk(ctx, k); err != nil {
				return err
			}
		}
		return nil
	})
}

// Later starts a flow of its own for the same room.
func (d *Desks) Later(ctx context.Context, room int64) error {
	held, err := d.own.Wait(ctx, roomKey(room), hold)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	if err := d.rooms.Move(ctx, room, 0); err != nil {
		return err
	}
	go d.move(context.WithoutCancel(ctx), room, false)
	return nil
}
