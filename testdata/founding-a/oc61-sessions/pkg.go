// EXPECT-NONE

// Package sessions knows who is logged in, and holds baskets for them.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrNoSession = errors.New("log in first")

type Sessions struct{ rdb *redis.Client }

func sessionKey(id string) string { return fmt.Sprintf("session:%s", id) }

func captchaKey(id string) string { return fmt.Sprintf("captcha:%s", id) }

func flagKey(name string) string { return fmt.Sprintf("flag:%s", name) }

// Begin stores a new session; its id is fresh, NX only makes sure of it.
func (s *Sessions) Begin(ctx context.Context, user int64) (string, error) {
	id := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, sessionKey(id), user, 30*time.Minute).Result()
	if err == nil && !ok {
		err = errors.New("session id is taken")
	}
	return id, err
}

// User returns who is logged in and keeps the session alive.
func (s *Sessions) User(ctx context.Context, id string) (int64, error) {
	user, err := s.rdb.Get(ctx, sessionKey(id)).Int64()
	if errors.Is(err, redis.Nil) {
		return 0, ErrNoSession
	}
	if err != nil {
		return 0, err
	}
	return user, s.rdb.Expire(ctx, sessionKey(id), 30*time.Minute).Err()
}

// End logs out.
func (s *Sessions) End(ctx context.Context, id string) error {
	return s.rdb.Del(ctx, sessionKey(id)).Err()
}

// EndOf logs out if the session is the user's.
func (s *Sessions) EndOf(ctx context.Context, id string, user int64) error {
	now, err := s.rdb.Get(ctx, sessionKey(id)).Int64()
	if err != nil || now != user {
		return err
	}
	return s.rdb.Del(ctx, sessionKey(id)).Err()
}

// Captcha stores the answer to a riddle.
func (s *Sessions) Captcha(ctx context.Context, id, answer string) error {
	return s.rdb.Set(ctx, captchaKey(id), answer, 5*time.Minute).Err()
}

// Solve compares the answer, which can be given once.
func (s *Sessions) Solve(ctx context.Context, id, answer string) (bool, error) {
	right, err := s.rdb.GetDel(ctx, captchaKey(id)).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return right == answer, err
}

// Pause sets a flag that stays until somebody clears it.
func (s *Sessions) Pause(ctx context.Context, name string) (changed bool, err error) {
	return s.rdb.SetNX(ctx, flagKey(name), "paused", 0).Result()
}

// Paused reads the flag.
func (s *Sessions) Paused(ctx context.Context, name string) (bool, error) {
	v, err := s.rdb.Get(ctx, flagKey(name)).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return v == "paused", err
}

// Resume clears the flag.
func (s *Sessions) Resume(ctx context.Context, name string) error {
	return s.rdb.Del(ctx, flagKey(name)).Err()
}
