// Package replytype drives the cable cars of a mountain.
package replytype

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrCabin = errors.New("cabin is moving")
	ErrLost  = errors.New("cabin was lost")
)

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Mountain struct {
	rdb  *redis.Client
	ride func(ctx context.Context, cabin int) error
}

func cabinKey(cabin int) string { return fmt.Sprintf("mountain:cabin:%d", cabin) }

// locked rides while the cabin belongs to the caller, and gives it back with free.
func (m *Mountain) locked(ctx context.Context, cabin int, free func(ctx context.Context, key, own string) error) (err error) {
	own := uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, cabinKey(cabin), own, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("cabin %d: %w", cabin, err)
	}
	if !ok {
		return ErrCabin
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, free(end, cabinKey(cabin), own))
	}()
	return m.ride(ctx, cabin)
}

func (m *Mountain) Up(ctx context.Context, cabin int) error { return m.locked(ctx, cabin, m.byText) }

func (m *Mountain) Down(ctx context.Context, cabin int) error { return m.locked(ctx, cabin, m.byOne) }

func (m *Mountain) Park(ctx context.Context, cabin int) error {
	return m.locked(ctx, cabin, m.byString)
}

func (m *Mountain) Test(ctx context.Context, cabin int) error { return m.locked(ctx, cabin, m.byInt) }

func (m *Mountain) Wash(ctx context.Context, cabin int) error { return m.locked(ctx, cabin, m.byInt64) }

// byText asks for text, where the script answers with a number: every release fails.
func (m *Mountain) byText(ctx context.Context, key, own string) error {
	answer, err := release.Run(ctx, m.rdb, []string{key}, own).Text() // EXPECT: broken-release
	if err == nil && answer != "1" {
		err = ErrLost
	}
	return err
}

// byOne compares an int64 in an interface with an int: never equal, every release looks lost.
func (m *Mountain) byOne(ctx context.Context, key, own string) error {
	answer, err := release.Run(ctx, m.rdb, []string{key}, own).Result() // EXPECT: broken-release
	if err == nil && answer != 1 {                                      // ALSO-OK: broken-release
		err = ErrLost
	}
	return err
}

// byString takes the number for a string.
func (m *Mountain) byString(ctx context.Context, key, own string) error {
	answer, err := release.Run(ctx, m.rdb, []string{key}, own).Result() // EXPECT: broken-release
	if err != nil {
		return err
	}
	if s, _ := answer.(string); s != "1" { // ALSO-OK: broken-release
		return ErrLost
	}
	return nil
}

// byInt is right.
func (m *Mountain) byInt(ctx context.Context, key, own string) error {
	n, err := release.Run(ctx, m.rdb, []string{key}, own).Int()
	if err == nil && n != 1 {
		err = ErrLost
	}
	return err
}

// byInt64 is right, too.
func (m *Mountain) byInt64(ctx context.Context, key, own string) error {
	answer, err := release.Run(ctx, m.rdb, []string{key}, own).Result()
	if n, ok := answer.(int64); err == nil && (!ok || n != 1) {
		err = ErrLost
	}
	return err
}
