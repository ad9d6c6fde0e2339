// Package fallbackdelete books the berths of a marina.
package fallbackdelete

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBerth = errors.New("berth is being booked")

type Marina struct {
	rdb     *redis.Client
	release *redis.Script
	book    func(ctx context.Context, berth, boat int64) error
}

func New(rdb *redis.Client, book func(ctx context.Context, berth, boat int64) error) *Marina {
	return &Marina{rdb: rdb, book: book, release: redis.NewScript(
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end; return 0`)}
}

func berthKey(berth int64) string { return fmt.Sprintf("marina:berth:%d:book", berth) }

func slipKey(berth int64) string { return fmt.Sprintf("marina:slip:%d:clean", berth) }

// Book gives a berth to a boat.
func (m *Marina) Book(ctx context.Context, berth, boat int64) error {
	own := uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, berthKey(berth), own, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("berth %d: %w", berth, err)
	}
	if !ok {
		return ErrBerth
	}
	defer m.free(context.WithoutCancel(ctx), berth, own)
	return m.book(ctx, berth, boat)
}

// free falls back to a plain delete where scripts are switched off.
func (m *Marina) free(ctx context.Context, berth int64, own string) {
	end, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	err := m.release.Run(end, m.rdb, []string{berthKey(berth)}, own).Err()
	if err != nil {
		slog.Warn("no script", "berth", berth, "err", err)
		err = m.rdb.Del(end, berthKey(berth)).Err() // EXPECT: ownerless-release
	}
	if err != nil {
		slog.Error("berth stays locked", "berth", berth, "err", err)
	}
}

// Clean has a slip cleaned.
func (m *Marina) Clean(ctx context.Context, berth int64, clean func(context.Context) error) error {
	own := uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, slipKey(berth), own, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("slip %d: %w", berth, err)
	}
	if !ok {
		return ErrBerth
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer stop()
		if now, err := m.rdb.Get(end, slipKey(berth)).Result(); err != nil || now != own {
			return
		}
		if err := m.rdb.Del(end, slipKey(berth)).Err(); err == nil { // EXPECT: nonatomic-release
			return
		}
		time.Sleep(200 * time.Millisecond)
		slog.Warn("second try", "slip", berth)

		m.rdb.Del(end, slipKey(berth)) // EXPECT: ownerless-release
	}()
	return clean(ctx)
}
