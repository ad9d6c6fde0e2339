package batch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

const (
	jobLease = 30 * time.Second
	jobLimit = 10 * time.Minute
)

// Jobs keeps the tables in order.
type Jobs struct {
	rows  *store.Store
	spin  *lock.Spin
	owned *lock.Owned
}

// NewJobs returns the jobs.
func NewJobs(rows *store.Store, rdb redis.UniversalClient, owned *lock.Owned) *Jobs {
	return &Jobs{rows: rows, spin: lock.NewSpin(rdb, jobLease), owned: owned}
}

// ExpireHolds marks the holds that ended before a moment. It does nothing while another replica is at it.
func (j *Jobs) ExpireHolds(ctx context.Context, before time.Time) error {
	err := j.spin.With(ctx, lock.HoldsKey, 0, func(ctx context.Context) error {
		work, cancel := context.WithTimeout(ctx, jobLimit)
		defer cancel()
		return j.expire(work, before)
	})
	if errors.Is(err, lock.ErrBusy) {
		slog.InfoContext(ctx, "holds are being expired elsewhere")
		return nil
	}
	return err
}

func (j *Jobs) expire(ctx context.Context, before time.Time) error {
	ids, err := j.rows.IDs(ctx, "hold")
	if err != nil {
		return err
	}
	for _, id := range ids {
		hold, err := j.rows.Hold(ctx, id)
		if err != nil {
			return err
		}
		if hold.State == "expired" || hold.Expires >= before.Unix() {
			continue
		}
		hold.State = "expired"
		if err := j.rows.SaveHold(ctx, hold); err != nil {
			return err
		}
	}
	return nil
}

// FillQuotas gives members a new quota; members with a reservation under way are left out.
func (j *Jobs) FillQuotas(ctx context.Context, left int64) error {
	members, err := j.rows.IDs(ctx, "quota")
	if err != nil {
		return err
	}
	for _, member := range members {
		if err := j.fill(ctx, member, left); err != nil {
			return fmt.Errorf("quota of %s: %w", member, err)
		}
	}
	return nil
}

func (j *Jobs) fill(ctx context.Context, member string, left int64) error {
	err := j.owned.With(ctx, lock.QuotaKey(member), 0, func(ctx context.Context) error {
		return j.rows.SaveQuota(ctx, store.Quota{Member: member, Left: left})
	})
	if errors.Is(err, lock.ErrBusy) {
		return nil
	}
	return err
}

// ArchiveMonth keeps the balances of a month. It waits for its turn until the service stops.
func (j *Jobs) ArchiveMonth(ctx context.Context, month string) error {
	members, err := j.rows.IDs(ctx, "account")
	if err != nil {
		return err
	}
	return j.spin.With(ctx, lock.ArchiveKey(month), -1, func(ctx context.Context) error {
		for _, member := range members {
			go func() {
				if err := j.archive(ctx, month, member); err != nil {
					slog.ErrorContext(ctx, "archive", "member", member, "err", err)
				}
			}()
		}
		return nil
	})
}

// ArchiveAgain repairs the archive of a month.
func (j *Jobs) ArchiveAgain(ctx context.Context, month string, members []string) error {
	return j.owned.With(ctx, lock.ArchiveKey(month), time.Minute, func(ctx context.Context) error {
		work, cancel := context.WithTimeout(ctx, jobLimit)
		defer cancel()
		var running sync.WaitGroup
		failed := make([]error, len(members))
		for i, member := range members {
			running.Go(func() { failed[i] = j.archive(work, month, member) })
		}
		running.Wait()
		return errors.Join(failed...)
	})
}

func (j *Jobs) archive(ctx context.Context, month, member string) error {
	account, err := j.rows.Account(ctx, member)
	if err != nil {
		return fmt.Errorf("archive %s of %s: %w", month, member, err)
	}
	return j.rows.SaveArchive(ctx, store.Archive{Month: month, Member: member, Balance: account.Balance})
}
