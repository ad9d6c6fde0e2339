// EXPECT-NONE

// Package computed samples the springs of a valley at an interval that is set elsewhere.
package computed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrSampling = errors.New("spring is being sampled")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Sampler struct {
	rdb    *redis.Client
	every  time.Duration
	sample func(ctx context.Context, spring int) error
}

func springKey(spring int) string { return fmt.Sprintf("valley:spring:%d:sample", spring) }

func roundKey(round int64) string { return fmt.Sprintf("valley:round:%d", round) }

// Sample holds a spring for two intervals at most, and works for one.
func (s *Sampler) Sample(ctx context.Context, spring int) (err error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, springKey(spring), own, 2*s.every).Result()
	if err != nil {
		return fmt.Errorf("spring %d: %w", spring, err)
	}
	if !ok {
		return ErrSampling
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, s.rdb, []string{springKey(spring)}, own).Err())
	}()
	work, stop := context.WithTimeout(ctx, s.every)
	defer stop()
	return s.sample(work, spring)
}

// Round marks a round as begun; the mark carries its time slot and is never taken back.
func (s *Sampler) Round(ctx context.Context, now time.Time) (bool, error) {
	round := now.Unix() / int64(s.every/time.Second)
	return s.rdb.SetNX(ctx, roundKey(round), uuid.NewString(), time.Hour).Result()
}

// Run samples all springs, round by round.
func (s *Sampler) Run(ctx context.Context, springs int) error {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			first, err := s.Round(ctx, now)
			if err != nil {
				return err
			}
			if !first {
				continue
			}
			for spring := range springs {
				if err := s.Sample(ctx, spring); err != nil {
					slog.Warn("not sampled", "spring", spring, "err", err)
				}
			}
		}
	}
}
