// Package bakery bakes, with the lock of rueidis.
package bakery

import (
	"context"
	"errors"

	"github.com/redis/rueidis/rueidislock"
	"github.com/valkey-io/valkey-go/valkeylock"
)

var errBaking = errors.New("oven is baking")

func ovenKey(oven string) string { return "bakery:oven:" + oven }

func mixerKey(mixer string) string { return "bakery:mixer:" + mixer }

// Oven bakes what is in it.
type Oven struct{ baked map[string]int }

// Bake bakes.
func (o *Oven) Bake(_ context.Context, oven string) error {
	o.baked[oven]++
	return nil
}

// BakeAll bakes in all ovens of a row.
func (o *Oven) BakeAll(ctx context.Context, ovens []string) error {
	for _, oven := range ovens {
		if err := o.Bake(ctx, oven); err != nil { // EXPECT: self-call
			return err
		}
	}
	return nil
}

// Shared is an oven that several bakeries share.
type Shared struct {
	*Oven  // ALSO-OK: self-call
	locker rueidislock.Locker
}

func NewShared(locker rueidislock.Locker) *Shared {
	return &Shared{&Oven{map[string]int{}}, locker}
}

// Bake bakes while nobody else does.
func (s *Shared) Bake(ctx context.Context, oven string) error {
	ctx, cancel, err := s.locker.TryWithContext(ctx, ovenKey(oven))
	if errors.Is(err, rueidislock.ErrNotLocked) {
		return errBaking
	}
	if err != nil {
		return err
	}
	defer cancel()
	return s.Oven.Bake(ctx, oven)
}

// Mixer mixes; the methods of Dough are called under the lock only.
type Mixer struct {
	dough  *Dough
	locker valkeylock.Locker
}

func NewMixer(locker valkeylock.Locker) *Mixer { return &Mixer{&Dough{}, locker} }

// Dough is what is mixed.
type Dough struct{ turns int }

func (d *Dough) Turn(context.Context) error {
	d.turns++
	return nil
}

// Mix turns the dough once.
func (m *Mixer) Mix(ctx context.Context, mixer string) error {
	ctx, cancel, err := m.locker.WithContext(ctx, mixerKey(mixer))
	if err != nil {
		return err
	}
	defer cancel()
	return m.dough.Turn(ctx)
}
