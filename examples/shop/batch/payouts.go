package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

// Bank sends money. What it has sent it does not take back.
type Bank interface {
	Send(ctx context.Context, merchant string, amount int64) error
}

// Payouts sends merchants what is due to them.
type Payouts struct {
	rows  *store.Store
	bank  Bank
	locks *redsync.Redsync
}

// NewPayouts returns the payouts.
func NewPayouts(rows *store.Store, bank Bank, rdb redis.UniversalClient) *Payouts {
	return &Payouts{rows: rows, bank: bank, locks: redsync.New(goredis.NewPool(rdb))}
}

// PayAll pays all merchants and leaves out those that are being paid.
func (p *Payouts) PayAll(ctx context.Context) (skipped int, err error) {
	merchants, err := p.rows.IDs(ctx, "payout")
	if err != nil {
		return 0, err
	}
	for _, merchant := range merchants {
		err := p.PayOne(ctx, merchant)
		if errors.Is(err, lock.ErrBusy) {
			skipped++
			continue
		}
		if err != nil {
			return skipped, err
		}
	}
	return skipped, nil
}

// PayOne pays one merchant. The nightly run and the back office meet here, and so the lock is here.
func (p *Payouts) PayOne(ctx context.Context, merchant string) (err error) {
	if merchant == "" {
		return errNoMerchant
	}
	mutex := p.locks.NewMutex(lock.PayoutKey(merchant), redsync.WithExpiry(lock.Lease))
	if err := mutex.TryLockContext(ctx); err != nil {
		if taken := new(redsync.ErrTaken); errors.As(err, &taken) {
			return fmt.Errorf("pay %s: %w", merchant, lock.ErrBusy)
		}
		return fmt.Errorf("pay %s: %w", merchant, err)
	}
	work, stop := renewed(ctx, mutex)
	defer func() {
		stop()
		end, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer done()
		if ok, lost := mutex.UnlockContext(end); lost != nil || !ok {
			err = errors.Join(err, lock.ErrLost, lost)
		}
	}()
	return p.pay(work, merchant)
}

func (p *Payouts) pay(ctx context.Context, merchant string) error {
	row, err := p.rows.Payout(ctx, merchant)
	if err != nil {
		return err
	}
	if row.Due == 0 {
		return nil
	}
	if err := p.bank.Send(ctx, merchant, row.Due); err != nil {
		return fmt.Errorf("pay %s: %w", merchant, err)
	}
	row.Due, row.Sent = 0, row.Sent+row.Due
	return p.rows.SavePayout(ctx, row)
}

// renewed extends the mutex until stop is called; the context that it returns ends when extending fails.
func renewed(ctx context.Context, mutex *redsync.Mutex) (work context.Context, stop func()) {
	work, cancel := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(lock.RenewEvery)
		defer tick.Stop()
		for {
			select {
			case <-work.Done():
				return
			case <-tick.C:
				if ok, err := mutex.ExtendContext(work); err != nil || !ok {
					cancel(errors.Join(lock.ErrLost, err))
					return
				}
			}
		}
	}()
	return work, func() {
		cancel(nil)
		<-stopped
	}
}
