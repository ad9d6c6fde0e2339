// Package unitconfig lets cars onto a ferry.
package unitconfig

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/lt31-unit-config/berth"
	"example.test/foundinga/lt31-unit-config/conf"
)

type Ferry struct {
	berths berth.Berths
	conf   conf.Settings
	board  func(ctx context.Context, deck int) error
}

func New(b berth.Berths, board func(context.Context, int) error) *Ferry {
	return &Ferry{berths: b, conf: conf.Default(), board: board}
}

func deckKey(deck int) string { return fmt.Sprintf("ferry:deck:%d:board", deck) }

func cleanKey(deck int) string { return fmt.Sprintf("ferry:deck:%d:clean", deck) }

func paintKey(deck int) string { return fmt.Sprintf("ferry:deck:%d:paint", deck) }

func checkKey(deck int) string { return fmt.Sprintf("ferry:deck:%d:check", deck) }

// Board takes the seconds of the settings for nanoseconds.
func (f *Ferry) Board(ctx context.Context, deck int) (err error) {
	own, err := f.berths.Take(ctx, deckKey(deck), time.Duration(f.conf.BoardingSeconds)) // EXPECT: ttl-unit
	if err != nil {
		return fmt.Errorf("deck %d: %w", deck, err)
	}
	defer func() { err = errors.Join(err, f.leave(ctx, deckKey(deck), own)) }()
	return f.board(ctx, deck)
}

// Clean does it right.
func (f *Ferry) Clean(ctx context.Context, deck int) (err error) {
	own, err := f.berths.TakeSeconds(ctx, cleanKey(deck), int64(f.conf.CleaningSeconds))
	if err != nil {
		return fmt.Errorf("deck %d: %w", deck, err)
	}
	defer func() { err = errors.Join(err, f.leave(ctx, cleanKey(deck), own)) }()
	return f.board(ctx, deck)
}

// Paint is reported where its milliseconds go wrong.
func (f *Ferry) Paint(ctx context.Context, deck int) (err error) {
	own, err := f.berths.TakeMillis(ctx, paintKey(deck), 30_000) // ALSO-OK: long-ttl
	if err != nil {
		return fmt.Errorf("deck %d: %w", deck, err)
	}
	defer func() { err = errors.Join(err, f.leave(ctx, paintKey(deck), own)) }()
	return f.board(ctx, deck)
}

// Check hands milliseconds over as seconds.
func (f *Ferry) Check(ctx context.Context, deck int) (err error) {
	ttl := 20 * time.Second

	own, err := f.berths.TakeSeconds(ctx, checkKey(deck), ttl.Milliseconds()) // EXPECT: ttl-unit // ALSO-OK: long-ttl
	if err != nil {
		return fmt.Errorf("deck %d: %w", deck, err)
	}
	defer func() { err = errors.Join(err, f.leave(ctx, checkKey(deck), own)) }()
	return f.board(ctx, deck)
}

func (f *Ferry) leave(ctx context.Context, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return f.berths.Leave(end, key, own)
}
