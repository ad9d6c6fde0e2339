// Package meterreadings records what electricity meters show.
package meterreadings

import (
	"context"
	"errors"
	"fmt"

	"example.test/foundingb/sc12-meter-readings/lockkit"
)

// Reading is what a meter showed.
type Reading struct {
	Meter int64
	KWh   int64
}

// History stores readings; each has to be higher than the one before.
type History interface {
	Last(ctx context.Context, meter int64) (kWh int64, err error)
	Append(ctx context.Context, meter, kWh int64) error
}

type Service struct {
	Locks   lockkit.Locker
	History History
}

func meterKey(meter int64) string { return fmt.Sprintf("meter:%d:reading", meter) }

// Record takes the reading of one meter.
func (s *Service) Record(ctx context.Context, r Reading) error {
	return s.Locks.Once(ctx, meterKey(r.Meter), func(ctx context.Context) error { return s.record(ctx, r) })
}

func (s *Service) record(ctx context.Context, r Reading) error {
	last, err := s.History.Last(ctx, r.Meter)
	if err != nil {
		return err
	}
	if r.KWh < last {
		return fmt.Errorf("meter %d showed %d before", r.Meter, last)
	}
	return s.History.Append(ctx, r.Meter, r.KWh)
}

// Upload takes the file of a meter reader, in portions.
func (s *Service) Upload(ctx context.Context, file []Reading) error {
	for len(file) > 0 {
		n := min(len(file), 200)
		if err := s.portion(ctx, file[:n]); err != nil {
			return err
		}
		file = file[n:]
	}
	return nil
}

func (s *Service) portion(ctx context.Context, part []Reading) error {
	var all error
	for _, r := range part {
		all = errors.Join(all, s.record(ctx, r)) // EXPECT: self-call
	}
	return all
}
