// Package fxpositions keeps the currency positions of a trading desk.
package fxpositions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("book is being changed")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Trade changes one position of a book.
type Trade struct {
	Book   int64
	Amount int64
}

// Positions stores them.
type Positions interface {
	Of(ctx context.Context, book int64) (int64, error)
	Put(ctx context.Context, book, amount int64) error
}

// exclusive wraps any function of one item.
func exclusive[T any](rdb redis.Cmdable, name func(T) string, next func(context.Context, T) error) func(context.Context, T) error {
	return func(ctx context.Context, item T) (err error) {
		key, owner := name(item), uuid.NewString()
		ok, err := rdb.SetNX(ctx, key, owner, 15*time.Second).Result()
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !ok {
			return errBusy
		}
		defer func() {
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer stop()
			err = errors.Join(err, release.Run(end, rdb, []string{key}, owner).Err())
		}()
		work, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return next(work, item)
	}
}

func bookKey(t Trade) string { return fmt.Sprintf("fx-book:%d", t.Book) }

type Desk struct {
	positions Positions
	book      func(context.Context, Trade) error
}

// New returns a desk.
func New(positions Positions, rdb redis.Cmdable) *Desk {
	d := &Desk{positions: positions}
	d.book = exclusive(rdb, bookKey, d.post)
	return d
}

func (d *Desk) post(ctx context.Context, t Trade) error {
	have, err := d.positions.Of(ctx, t.Book)
	if err != nil {
		return err
	}
	return d.positions.Put(ctx, t.Book, have+t.Amount)
}

// Book books a trade of today.
func (d *Desk) Book(ctx context.Context, t Trade) error { return d.book(ctx, t) }

// Replay books the trades that the exchange reports late.
func (d *Desk) Replay(ctx context.Context, late []Trade) error {
	for _, t := range late {
		if err := d.post(ctx, t); err != nil { // EXPECT: self-call
			return fmt.Errorf("book %d: %w", t.Book, err)
		}
	}
	return nil
}
