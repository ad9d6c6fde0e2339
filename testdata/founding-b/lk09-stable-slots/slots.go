// EXPECT-NONE

// Package stableslots measures the air at stations and sends digests once per slot.
package stableslots

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrBusy = errors.New("station is in use")
	ErrDone = errors.New("this slot is done")
)

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Station is a measuring station.
type Station struct {
	Code int64
	Net  *string
}

// String is the code, so that printing a station is stable.
func (s Station) String() string { return "st" + strconv.FormatInt(s.Code, 10) }

// Level is a number of its own type.
type Level int

// Air does the work.
type Air interface {
	Digest(ctx context.Context) error
	Hourly(ctx context.Context, station int64) error
	Clean(ctx context.Context, s Station) error
	Pair(ctx context.Context, stations map[int64]bool) error
	Warn(ctx context.Context, l Level) error
	Import(ctx context.Context, upload uuid.UUID) error
}

type Service struct {
	rdb redis.UniversalClient
	air Air
}

// once marks a slot; nobody takes the mark away, it ends by itself.
func (s *Service) once(ctx context.Context, slot string, ttl time.Duration) error {
	first, err := s.rdb.SetNX(ctx, slot, uuid.NewString(), ttl).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", slot, err)
	}
	if !first {
		return ErrDone
	}
	return nil
}

// minuteSlot is the same for all replicas within a minute.
func minuteSlot(now time.Time) string { return "air-digest@" + now.UTC().Format("2006-01-02T15:04") }

// hourSlot is the same within an hour.
func hourSlot(station int64) string {
	return fmt.Sprintf("air-hour:%d:%d", station, time.Now().Truncate(time.Hour).Unix())
}

// Digest is called by a timer in every replica, once a minute.
func (s *Service) Digest(ctx context.Context) error {
	if err := s.once(ctx, minuteSlot(time.Now()), 50*time.Second); err != nil {
		return err
	}
	return s.air.Digest(ctx)
}

// Hourly is called by a timer in every replica, once an hour and station.
func (s *Service) Hourly(ctx context.Context, station int64) error {
	if err := s.once(ctx, hourSlot(station), 55*time.Second); err != nil {
		return err
	}
	return s.air.Hourly(ctx, station)
}

func (s *Service) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, s.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return fn(work)
}

func stationKey(st Station) string { return fmt.Sprintf("air-station:%v", st) }

// Clean cleans a station's filter.
func (s *Service) Clean(ctx context.Context, st Station) error {
	return s.hold(ctx, stationKey(st), func(ctx context.Context) error { return s.air.Clean(ctx, st) })
}

// setKey sorts, so that a set has one name.
func setKey(stations map[int64]bool) string {
	b := []byte("air-set")
	for _, code := range slices.Sorted(maps.Keys(stations)) {
		b = append(b, '+')
		b = strconv.AppendInt(b, code, 10)
	}
	return string(b)
}

// Pair compares stations with each other.
func (s *Service) Pair(ctx context.Context, stations map[int64]bool) error {
	return s.hold(ctx, setKey(stations), func(ctx context.Context) error { return s.air.Pair(ctx, stations) })
}

func levelKey(l Level) string { return fmt.Sprintf("smog-level:%v", l) }

// Warn warns the citizens.
func (s *Service) Warn(ctx context.Context, l Level) error {
	return s.hold(ctx, levelKey(l), func(ctx context.Context) error { return s.air.Warn(ctx, l) })
}

func uploadKey(upload uuid.UUID) string { return "air-upload:" + upload.String() }

// Import reads a file that a station has sent; the sender names it.
func (s *Service) Import(ctx context.Context, upload uuid.UUID) error {
	return s.hold(ctx, uploadKey(upload), func(ctx context.Context) error { return s.air.Import(ctx, upload) })
}
