// Package agents works for the owners of ships.
package agents

import (
	"context"
	"strconv"

	"example.test/foundingb/lk25-harbour-pilots/harbour"
)

// Ships does the work.
type Ships interface {
	Supply(ctx context.Context, berth int64) error
	Fuel(ctx context.Context, tug int64) error
}

type Agent struct {
	Locks harbour.Locks
	Ships Ships
	Names Names
}

// berthPrefix is what the harbour calls a berth.
const berthPrefix = "berth:moor:" // EXPECT: duplicate-prefix

func berthKey(berth int64) string { return berthPrefix + strconv.FormatInt(berth, 10) }

// Supply brings food to a ship.
func (a *Agent) Supply(ctx context.Context, berth int64) error {
	return a.Locks.Hold(ctx, berthKey(berth), func(ctx context.Context) error { return a.Ships.Supply(ctx, berth) })
}

// Names names locks.
type Names interface{ Tug(tug int64) string }

// Plain names them as the harbour does.
type Plain struct{}

// Tug implements Names.
func (Plain) Tug(tug int64) string {
	b := []byte("tugboat/") // EXPECT: duplicate-prefix
	return string(strconv.AppendInt(b, tug, 10))
}

// New returns an agent.
func New(locks harbour.Locks, ships Ships) *Agent {
	return &Agent{Locks: locks, Ships: ships, Names: Plain{}}
}

// Fuel fuels a tug.
func (a *Agent) Fuel(ctx context.Context, tug int64) error {
	return a.Locks.Hold(ctx, a.Names.Tug(tug), func(ctx context.Context) error { return a.Ships.Fuel(ctx, tug) })
}
