// Package again has a helper that tries once, waits, and tries again.
package again

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Store guards probes.
type Store struct{ rdb redis.UniversalClient }

func probeKey(probe string) string { return "probe-run:" + probe }

// Take tries until it has the lock or has tried often enough, and says so.
func (s *Store) Take(ctx context.Context, probe string, tries int) error {
	won, err := s.take(ctx, probe)
	if err != nil {
		return err
	}
	for n := 0; !won && n < tries; n++ { // EXPECT: polling-wait
		<-time.After(time.Second)
		if won, err = s.take(ctx, probe); err != nil {
			return err
		}
	}
	if !won {
		return fmt.Errorf("probe %s is busy after %d tries", probe, tries)
	}
	return nil
}

func (s *Store) take(ctx context.Context, probe string) (bool, error) {
	err := s.rdb.SetArgs(ctx, probeKey(probe), "held", redis.SetArgs{TTL: 30 * time.Second, Mode: "NX"}).Err() // EXPECT: constant-owner
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", probe, err)
	}
	return true, nil
}

// Give releases.
func (s *Store) Give(ctx context.Context, probe string) error {
	return s.rdb.Del(ctx, probeKey(probe)).Err() // EXPECT: ownerless-release
}

// Mute runs only with the lock: whoever does not get it returns before the defer.
func Mute(ctx context.Context, s *Store, probe string, mute func(context.Context) error) error {
	if err := s.Take(ctx, probe, 10); err != nil {
		return err
	}
	defer func() { _ = s.Give(context.WithoutCancel(ctx), probe) }()
	return mute(ctx)
}

// Hasty defers before it looks: the loser gives the winner's lock away.
func Hasty(ctx context.Context, s *Store, probe string, mute func(context.Context) error) error {
	err := s.Take(ctx, probe, 10)
	defer func() { _ = s.Give(context.WithoutCancel(ctx), probe) }() // EXPECT: release-not-acquired
	if err != nil {
		return err
	}
	return mute(ctx)
}
