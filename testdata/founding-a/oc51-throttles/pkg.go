// EXPECT-NONE

// Package throttles slows people down.
package throttles

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrTooOften = errors.New("too often")

type Throttles struct{ rdb redis.UniversalClient }

func smsKey(user int64) string { return fmt.Sprintf("sms:cooldown:%d", user) }

func loginKey(user int64) string { return fmt.Sprintf("login:failed:%d", user) }

func lockedOutKey(user int64) string { return fmt.Sprintf("login:locked:%d", user) }

func presenceKey(user int64) string { return fmt.Sprintf("presence:%d", user) }

// SMS allows one message a minute; the mark is left to expire.
func (t *Throttles) SMS(ctx context.Context, user int64, send func(context.Context) error) error {
	ok, err := t.rdb.SetNX(ctx, smsKey(user), 1, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrTooOften
	}
	return send(ctx)
}

// Failed counts a failed login; the fifth within an hour locks the account for a day.
func (t *Throttles) Failed(ctx context.Context, user int64) error {
	n, err := t.rdb.Incr(ctx, loginKey(user)).Result()
	if err != nil {
		return err
	}
	if n == 1 {
		if err := t.rdb.Expire(ctx, loginKey(user), time.Hour).Err(); err != nil {
			return err
		}
	}
	if n < 5 {
		return nil
	}
	return t.rdb.Set(ctx, lockedOutKey(user), "locked", 24*time.Hour).Err()
}

// LockedOut reports whether the account is locked.
func (t *Throttles) LockedOut(ctx context.Context, user int64) (bool, error) {
	n, err := t.rdb.Exists(ctx, lockedOutKey(user)).Result()
	return n == 1, err
}

// Succeeded forgets failures and lock-out.
func (t *Throttles) Succeeded(ctx context.Context, user int64) error {
	return t.rdb.Del(ctx, loginKey(user), lockedOutKey(user)).Err()
}

// Seen keeps a user present.
func (t *Throttles) Seen(ctx context.Context, user int64) error {
	ok, err := t.rdb.Expire(ctx, presenceKey(user), 90*time.Second).Result()
	if err != nil || ok {
		return err
	}
	return t.rdb.Set(ctx, presenceKey(user), time.Now().Unix(), 90*time.Second).Err()
}

// Gone ends the presence.
func (t *Throttles) Gone(ctx context.Context, user int64) error {
	return t.rdb.Unlink(ctx, presenceKey(user)).Err()
}
