// Package rentcollection collects the rent of flats.
package rentcollection

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
)

var errLost = errors.New("lock was lost early")

// Collector takes the rent of a flat, once a month.
type Collector interface {
	Collect(ctx context.Context, flat int64) error
}

// Debits draws from bank accounts.
type Debits interface {
	Drawn(ctx context.Context, flat int64) (bool, error)
	Draw(ctx context.Context, flat int64) error
}

// Plain collects and asks nobody.
type Plain struct{ Debits Debits }

// Collect implements Collector.
func (p *Plain) Collect(ctx context.Context, flat int64) error {
	drawn, err := p.Debits.Drawn(ctx, flat)
	if err != nil || drawn {
		return err
	}
	return p.Debits.Draw(ctx, flat)
}

// Guarded collects from a flat in one replica at a time.
type Guarded struct {
	next Collector
	rs   *redsync.Redsync
}

// New wraps a collector.
func New(next Collector, rs *redsync.Redsync) *Guarded { return &Guarded{next: next, rs: rs} }

func flatKey(flat int64) string { return fmt.Sprintf("tenancy:%d:rent", flat) }

// Collect implements Collector.
func (g *Guarded) Collect(ctx context.Context, flat int64) (err error) {
	m := g.rs.NewMutex(flatKey(flat), redsync.WithExpiry(20*time.Second), redsync.WithTries(3))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return g.next.Collect(work, flat)
}

// House collects from all flats of a house.
func (g *Guarded) House(ctx context.Context, flats []int64) error {
	var all error
	for _, flat := range flats {
		if err := g.next.Collect(ctx, flat); err != nil { // EXPECT: self-call
			all = errors.Join(all, fmt.Errorf("flat %d: %w", flat, err))
		}
	}
	return all
}
