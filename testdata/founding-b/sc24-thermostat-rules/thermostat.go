// EXPECT-NONE

// Package thermostatrules wires the heating of a building.
package thermostatrules

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundingb/sc24-thermostat-rules/rules"
	"github.com/go-redsync/redsync/v4"
)

var errLost = errors.New("room was let go early")

type oneHand struct {
	next rules.Rules
	rs   *redsync.Redsync
}

// New returns rules that change a room in one replica at a time.
func New(devices rules.Devices, rs *redsync.Redsync) rules.Rules {
	return &oneHand{next: &rules.Plain{Devices: devices}, rs: rs}
}

func roomKey(room int64) string { return fmt.Sprintf("thermostat:room:%d", room) }

func (o *oneHand) Set(ctx context.Context, room int64, degrees int) (err error) {
	m := o.rs.NewMutex(roomKey(room), redsync.WithExpiry(15*time.Second), redsync.WithTries(3))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("set: %w", err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return o.next.Set(work, room, degrees)
}

func (o *oneHand) Announce(ctx context.Context, room int64) error { return o.next.Announce(ctx, room) }

func (o *oneHand) AnnounceAll(ctx context.Context, rooms []int64) error {
	return o.next.AnnounceAll(ctx, rooms)
}
