// Package shortlibrary stocks the vending machines of a station.
package shortlibrary

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/lt42-short-library/guard"
)

type Station struct {
	guard guard.Guard
	stock func(ctx context.Context, machine int) error
}

func machineKey(machine int) string { return fmt.Sprintf("station:machine:%d:stock", machine) }

func coinKey(machine int) string { return fmt.Sprintf("station:machine:%d:coins", machine) }

// Stock has 45 seconds, of which the library's lock lasts for eight.
func (s *Station) Stock(ctx context.Context, machine int) (err error) {
	h, err := s.guard.Enter(ctx, machineKey(machine)) // EXPECT: short-ttl
	if err != nil {
		return fmt.Errorf("machine %d: %w", machine, err)
	}
	defer func() { err = errors.Join(err, h.Leave(ctx)) }()
	work, stop := context.WithTimeout(ctx, 45*time.Second)
	defer stop()
	return s.stock(work, machine)
}

// Coins has five.
func (s *Station) Coins(ctx context.Context, machine int) (err error) {
	h, err := s.guard.Enter(ctx, coinKey(machine))
	if err != nil {
		return fmt.Errorf("machine %d: %w", machine, err)
	}
	defer func() { err = errors.Join(err, h.Leave(ctx)) }()
	work, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	return s.stock(work, machine)
}
