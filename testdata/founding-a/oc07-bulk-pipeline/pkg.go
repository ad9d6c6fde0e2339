// Package bulkpipeline moves stock between the shelves of a warehouse.
package bulkpipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrShelf = errors.New("a shelf is being moved")

type Mover struct {
	rdb  *redis.Client
	move func(ctx context.Context, from, to int64) error
}

func shelfKey(id int64) string { return fmt.Sprintf("warehouse:shelf:%d:move", id) }

// Move takes both shelves in the order of their numbers, or none.
func (m *Mover) Move(ctx context.Context, from, to int64) error {
	own := uuid.NewString()
	first, second := min(from, to), max(from, to)
	if err := m.take(ctx, first, own); err != nil {
		return err
	}
	if err := m.take(ctx, second, own); err != nil {
		m.giveBack(ctx, first)
		return err
	}
	defer m.giveBack(ctx, first, second)
	return m.move(ctx, from, to)
}

func (m *Mover) take(ctx context.Context, shelf int64, own string) error {
	ok, err := m.rdb.SetNX(ctx, shelfKey(shelf), own, 20*time.Second).Result()
	if err == nil && !ok {
		err = ErrShelf
	}
	return err
}

// giveBack frees all shelves in one round trip and says so.
func (m *Mover) giveBack(ctx context.Context, shelves ...int64) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	_, err := m.rdb.Pipelined(end, func(p redis.Pipeliner) error {
		for _, s := range shelves {
			p.Del(end, shelfKey(s)) // EXPECT: ownerless-release
			p.Publish(end, "warehouse:free", s)
		}
		return nil
	})
	if err != nil {
		slog.Warn("shelves stay taken", "shelves", shelves, "err", err)
	}
}
