// EXPECT-NONE

// Package watchhandle changes the decks of a ship.
package watchhandle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var (
	ErrDeck = errors.New("deck is being changed")
	ErrLost = errors.New("deck was lost")
)

type Ship struct {
	rdb    *redis.ClusterClient
	change func(ctx context.Context, deck int) error
}

// watch is a deck that was taken; it is used by one goroutine and then thrown away.
type watch struct {
	rdb      *redis.ClusterClient
	key, own string
}

func deckKey(deck int) string { return fmt.Sprintf("ship:deck:%d", deck) }

func (s *Ship) take(ctx context.Context, deck int) (*watch, error) {
	w := &watch{rdb: s.rdb, key: deckKey(deck), own: uuid.NewString()}
	ok, err := s.rdb.SetNX(ctx, w.key, w.own, 30*time.Second).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrDeck
	}
	return w, nil
}

// ifMine queues cmds in a transaction that runs only while the key still has the owner that was read.
func (w *watch) ifMine(ctx context.Context, cmds func(redis.Pipeliner) error) error {
	err := w.rdb.Watch(ctx, func(tx *redis.Tx) error {
		now, err := tx.Get(ctx, w.key).Result()
		switch {
		case errors.Is(err, redis.Nil), err == nil && now != w.own:
			return ErrLost
		case err != nil:
			return err
		}
		_, err = tx.TxPipelined(ctx, cmds)
		return err
	}, w.key)
	if errors.Is(err, redis.TxFailedErr) {
		return ErrLost
	}
	return err
}

func (w *watch) extend(ctx context.Context) error {
	return w.ifMine(ctx, func(p redis.Pipeliner) error {
		p.Expire(ctx, w.key, 30*time.Second)
		return nil
	})
}

func (w *watch) giveBack(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return w.ifMine(end, func(p redis.Pipeliner) error {
		p.Unlink(end, w.key)
		p.Publish(end, "ship:decks", w.key)
		return nil
	})
}

// Change changes a deck in two steps.
func (s *Ship) Change(ctx context.Context, deck int) (err error) {
	w, err := s.take(ctx, deck)
	if err != nil {
		return fmt.Errorf("deck %d: %w", deck, err)
	}
	defer func() { err = errors.Join(err, w.giveBack(ctx)) }()
	if err := s.change(ctx, deck); err != nil {
		return err
	}
	if err := w.extend(ctx); err != nil {
		return err
	}
	return s.change(ctx, deck)
}
