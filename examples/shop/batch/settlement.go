// Package batch runs the nightly work: settlement, payout, expiry, quotas and archive.
package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

var errNoMerchant = errors.New("batch: a merchant is needed")

// Locker runs work while a key is held.
type Locker interface {
	With(ctx context.Context, key string, wait time.Duration, work func(context.Context) error) error
}

// Settlement moves what merchants have earned from open to settled.
type Settlement struct {
	rows  *store.Store
	locks Locker
}

// NewSettlement returns the settlement.
func NewSettlement(rows *store.Store, locks Locker) *Settlement {
	return &Settlement{rows: rows, locks: locks}
}

// CloseDay settles all merchants and leaves out those that are being settled.
func (s *Settlement) CloseDay(ctx context.Context) (skipped int, err error) {
	merchants, err := s.rows.IDs(ctx, "settlement")
	if err != nil {
		return 0, err
	}
	for _, merchant := range merchants {
		err := s.locks.With(ctx, "settle:merchant:"+merchant, 0, func(ctx context.Context) error {
			return s.settle(ctx, merchant)
		})
		if errors.Is(err, lock.ErrBusy) {
			skipped++
			continue
		}
		if err != nil {
			return skipped, fmt.Errorf("settle %s: %w", merchant, err)
		}
	}
	return skipped, nil
}

// CloseOne settles one merchant, for the back office.
func (s *Settlement) CloseOne(ctx context.Context, merchant string) error {
	if merchant == "" {
		return errNoMerchant
	}
	return s.settle(ctx, merchant)
}

// Reopen takes an amount back out of what was settled.
func (s *Settlement) Reopen(ctx context.Context, merchant string, amount int64) error {
	if merchant == "" {
		return errNoMerchant
	}
	return s.locks.With(ctx, lock.SettleKey(merchant), time.Second, func(ctx context.Context) error {
		row, err := s.rows.Settlement(ctx, merchant)
		if err != nil {
			return err
		}
		if row.Settled < amount {
			return fmt.Errorf("reopen %s: only %d settled", merchant, row.Settled)
		}
		row.Open, row.Settled = row.Open+amount, row.Settled-amount
		return s.rows.SaveSettlement(ctx, row)
	})
}

func (s *Settlement) settle(ctx context.Context, merchant string) error {
	row, err := s.rows.Settlement(ctx, merchant)
	if err != nil {
		return err
	}
	row.Open, row.Settled = 0, row.Settled+row.Open
	return s.rows.SaveSettlement(ctx, row)
}
