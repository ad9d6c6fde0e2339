// EXPECT-NONE

// Package wordsforever shoots films in the halls of a studio.
package wordsforever

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"example.test/foundinga/lt03-words-forever/words"
)

type Studio struct {
	rdb   redis.UniversalClient
	shoot func(ctx context.Context, hall int) error
}

func hallKey(hall int) string { return fmt.Sprintf("studio:hall:%d", hall) }

func lightKey(hall int) string { return fmt.Sprintf("studio:light:%d", hall) }

func soundKey(hall int) string { return fmt.Sprintf("studio:sound:%d", hall) }

type take func(ctx context.Context, c redis.UniversalClient, key, own string) error

func (s *Studio) Shoot(ctx context.Context, hall int) error {
	return s.with(ctx, hall, hallKey(hall), words.Take)
}

func (s *Studio) Light(ctx context.Context, hall int) error {
	return s.with(ctx, hall, lightKey(hall), words.TakeOrTell)
}

func (s *Studio) Sound(ctx context.Context, hall int) error {
	return s.with(ctx, hall, soundKey(hall), words.TakeSet)
}

func (s *Studio) with(ctx context.Context, hall int, key string, t take) (err error) {
	own := uuid.NewString()
	if err := t(ctx, s.rdb, key, own); err != nil {
		return fmt.Errorf("hall %d: %w", hall, err)
	}
	defer func() { err = errors.Join(err, s.give(ctx, key, own)) }()
	return s.shoot(ctx, hall)
}

// Both shoots in two halls at once.
func (s *Studio) Both(ctx context.Context, a, b int) (err error) {
	own := uuid.NewString()
	if err := words.TakeAll(ctx, s.rdb, []string{hallKey(a), hallKey(b)}, own); err != nil {
		return fmt.Errorf("halls %d and %d: %w", a, b, err)
	}
	defer func() {
		err = errors.Join(err, s.give(ctx, hallKey(a), own), s.give(ctx, hallKey(b), own))
	}()
	return errors.Join(s.shoot(ctx, a), s.shoot(ctx, b))
}

func (s *Studio) give(ctx context.Context, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return words.Give(end, s.rdb, key, own)
}
