// Package parcelscan books scanned parcels.
package parcelscan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/bsm/redislock"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"example.test/holding/lease"
)

var (
	errUnknown = errors.New("unknown parcel")
	errBusy    = errors.New("parcel is being scanned")
)

const hold = 20 * time.Second

// Store keeps parcels.
type Store interface {
	Weight(ctx context.Context, parcel int64) (int, error)
	Book(ctx context.Context, parcel int64, grams int) error
}

// Scanner scans.
type Scanner struct {
	locks *redislock.Client
	own   *lease.Locker
	taker lease.Taker
	rdb   *redis.Client
	store Store
}

func parcelKey(parcel int64) string { return fmt.Sprintf("parcel:scan:%d", parcel) }

// Scan forgets the lock where the parcel is unknown.
func (s *Scanner) Scan(ctx context.Context, parcel int64) error {
	held, err := s.locks.Obtain(ctx, parcelKey(parcel), hold, nil)
	if err != nil {
		return err
	}
	grams, err := s.store.Weight(ctx, parcel)
	if err != nil {
		return fmt.Errorf("parcel %d: %w", parcel, err) // EXPECT: leak-on-path
	}
	if grams == 0 {
		return errUnknown // EXPECT: leak-on-path
	}
	err = s.store.Book(ctx, parcel, grams)
	return errors.Join(err, free(ctx, held))
}

func free(ctx context.Context, held *redislock.Lock) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	return held.Release(end)
}

// Batch goes on to the next parcel with the lock of this one.
func (s *Scanner) Batch(ctx context.Context, parcels []int64) error {
	for _, p := range parcels {
		held, err := s.own.Take(ctx, parcelKey(p), hold)
		if errors.Is(err, lease.ErrTaken) {
			continue
		}
		if err != nil {
			return err
		}
		grams, err := s.store.Weight(ctx, p)
		switch {
		case err != nil:
			slog.Warn("weight", "parcel", p, "err", err)
			continue // EXPECT: leak-on-path
		case grams > 30_000:
			return fmt.Errorf("parcel %d is too heavy", p) // EXPECT: leak-on-path
		}
		if err := s.store.Book(ctx, p, grams); err != nil {
			slog.Warn("book", "parcel", p, "err", err)
		}
		if err := held.Free(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Weigh defers the release too late.
func (s *Scanner) Weigh(ctx context.Context, parcel int64) (int, error) {
	release, err := s.own.Acquire(ctx, parcelKey(parcel), hold)
	if err != nil {
		return 0, err
	}
	if parcel < 0 {
		return 0, errUnknown // EXPECT: leak-on-path
	}
	defer release()
	return s.store.Weight(ctx, parcel)
}

// Assert panics with the lock.
func (s *Scanner) Assert(ctx context.Context, parcel int64) {
	held, err := s.taker.Take(ctx, parcelKey(parcel), hold)
	if err != nil {
		return
	}
	grams, _ := s.store.Weight(ctx, parcel)
	if grams < 0 {
		panic("negative weight") // EXPECT: leak-on-path
	}
	if grams == 0 {
		runtime.Goexit() // EXPECT: leak-on-path
	}
	_ = held.Free(ctx)
}

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// try tells whether the lock is there, by value.
func (s *Scanner) try(ctx context.Context, parcel int64, own string) (won bool, err error) {
	err = s.rdb.SetArgs(ctx, parcelKey(parcel), own, redis.SetArgs{Mode: "NX", TTL: hold}).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// Measure checks the result the other way round and returns early.
func (s *Scanner) Measure(ctx context.Context, parcel int64) error {
	own := uuid.NewString()
	won, err := s.try(ctx, parcel, own)
	if won && err == nil {
		grams, werr := s.store.Weight(ctx, parcel)
		if werr != nil || grams == 0 {
			return errUnknown // EXPECT: leak-on-path
		}
		err = s.store.Book(ctx, parcel, grams)
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		return errors.Join(err, giveBack.Run(end, s.rdb, []string{parcelKey(parcel)}, own).Err())
	}
	if err != nil {
		return err
	}
	return errBusy
}

// Sort releases where there is something to sort and else lets the branch end.
func (s *Scanner) Sort(ctx context.Context, parcel int64, urgent bool) {
	held, err := s.own.Take(ctx, parcelKey(parcel), hold) // EXPECT: leak-on-path
	if err != nil {
		slog.Warn("sort", "err", err)
		return
	}
	if urgent {
		_ = s.store.Book(ctx, parcel, 1)
		_ = held.Free(ctx)
	}
}

// claim hands the lock to its caller, unless it fails behind the acquire.
func (s *Scanner) claim(ctx context.Context, parcel int64) (*redislock.Lock, error) {
	held, err := s.locks.Obtain(ctx, parcelKey(parcel), hold, nil)
	if err != nil {
		return nil, err
	}
	grams, err := s.store.Weight(ctx, parcel)
	if err != nil {
		return nil, fmt.Errorf("parcel %d: %w", parcel, err) // EXPECT: leak-on-path
	}
	if grams == 0 {
		_ = free(ctx, held)
		return nil, errUnknown
	}
	return held, nil
}

// mark returns the owner value, and loses it where the second step fails.
func (s *Scanner) mark(ctx context.Context, parcel int64) (string, error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, parcelKey(parcel), own, hold).Result()
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errBusy
	}
	if err := s.store.Book(ctx, parcel, 0); err != nil {
		return "", err // EXPECT: leak-on-path
	}
	return own, nil
}

// Twice uses both.
func (s *Scanner) Twice(ctx context.Context, parcel int64) error {
	held, err := s.claim(ctx, parcel)
	if err != nil {
		return err
	}
	if err := free(ctx, held); err != nil {
		return err
	}
	own, err := s.mark(ctx, parcel)
	if err != nil {
		return err
	}
	return giveBack.Run(context.WithoutCancel(ctx), s.rdb, []string{parcelKey(parcel)}, own).Err()
}
