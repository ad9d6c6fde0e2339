// Package ridesharing finds seats in other people's cars.
package ridesharing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("ride, driver or zone is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Lock is one lock; it is used once.
type Lock struct {
	rdb   redis.UniversalClient
	key   string
	owner string
}

func NewLock(rdb redis.UniversalClient, key string) *Lock {
	return &Lock{rdb: rdb, key: key, owner: uuid.NewString()}
}

func (l *Lock) Acquire(ctx context.Context) error {
	ok, err := l.rdb.SetNX(ctx, l.key, l.owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", l.key, err)
	}
	if !ok {
		return ErrBusy
	}
	return nil
}

// Release outlives the caller's request, but not for long.
func (l *Lock) Release(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return release.Run(end, l.rdb, []string{l.key}, l.owner).Err()
}

// Rides does the work.
type Rides interface {
	Join(ctx context.Context, ride, guest int64) error
	Cancel(ctx context.Context, ride int64) error
	Rate(ctx context.Context, driver int64, stars int) error
	Ban(ctx context.Context, driver int64) error
	Price(ctx context.Context, zone string) error
	Shut(ctx context.Context, zone string) error
}

type Service struct {
	rdb   redis.UniversalClient
	rides Rides
}

// RideID and DriverID are numbers of the database.
type (
	RideID   int64
	DriverID int64
)

// Join gives a guest a seat.
func (s *Service) Join(ctx context.Context, ride RideID, guest int64) (err error) {
	l := NewLock(s.rdb, fmt.Sprintf("ride-share:%d", ride)) // EXPECT: key-from-strings
	if err := l.Acquire(ctx); err != nil {                  // ALSO-OK: key-from-strings
		return err
	}
	defer func() { err = errors.Join(err, l.Release(ctx)) }()
	return s.rides.Join(ctx, int64(ride), guest)
}

// Cancel calls a ride off.
func (s *Service) Cancel(ctx context.Context, ride RideID) (err error) {
	l := NewLock(s.rdb, fmt.Sprintf("ride-share:%d", ride)) // EXPECT: key-from-strings
	if err := l.Acquire(ctx); err != nil {                  // ALSO-OK: key-from-strings, duplicate-prefix
		return err
	}
	defer func() { err = errors.Join(err, l.Release(ctx)) }()
	return s.rides.Cancel(ctx, int64(ride))
}

// one runs fn while a driver is held; the numbers of drivers come in several types.
func one[ID ~int64](ctx context.Context, rdb redis.UniversalClient, id ID, fn func() error) (err error) {
	l := NewLock(rdb, "driver/"+strconv.FormatInt(int64(id), 10)) // EXPECT: key-from-strings
	if err := l.Acquire(ctx); err != nil {                        // ALSO-OK: key-from-strings
		return err
	}
	defer func() { err = errors.Join(err, l.Release(ctx)) }()
	return fn()
}

// Rate stores what a guest thinks of a driver.
func (s *Service) Rate(ctx context.Context, driver DriverID, stars int) error {
	return one(ctx, s.rdb, driver, func() error { return s.rides.Rate(ctx, int64(driver), stars) })
}

// Ban removes a driver.
func (s *Service) Ban(ctx context.Context, driver int64) (err error) {
	l := NewLock(s.rdb, "driver/"+strconv.FormatInt(driver, 10)) // EXPECT: key-from-strings
	if err := l.Acquire(ctx); err != nil {                       // ALSO-OK: key-from-strings, duplicate-prefix
		return err
	}
	defer func() { err = errors.Join(err, l.Release(ctx)) }()
	return s.rides.Ban(ctx, driver)
}

// joined only puts together what it is given.
func joined(parts ...string) string { return strings.Join(parts, "|") }

// Price sets the price of a zone.
func (s *Service) Price(ctx context.Context, zone string) (err error) {
	if zone == "" {
		return errors.New("zone required")
	}
	l := NewLock(s.rdb, joined("pricing-zone", zone)) // EXPECT: key-from-strings
	if err := l.Acquire(ctx); err != nil {            // ALSO-OK: key-from-strings
		return err
	}
	defer func() { err = errors.Join(err, l.Release(ctx)) }()
	return s.rides.Price(ctx, zone)
}

// Shut closes a zone.
func (s *Service) Shut(ctx context.Context, zone string) (err error) {
	if zone == "" {
		return errors.New("zone required")
	}
	l := NewLock(s.rdb, joined("pricing-zone", zone)) // EXPECT: key-from-strings
	if err := l.Acquire(ctx); err != nil {            // ALSO-OK: key-from-strings, duplicate-prefix
		return err
	}
	defer func() { err = errors.Join(err, l.Release(ctx)) }()
	return s.rides.Shut(ctx, zone)
}
