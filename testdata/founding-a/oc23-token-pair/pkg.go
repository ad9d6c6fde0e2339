// Package tokenpair types the manuscripts of a publisher.
package tokenpair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/oc23-token-pair/tokens"
)

type Press interface {
	Chapters(ctx context.Context, book int64) ([]int64, error)
	Type(ctx context.Context, chapter int64) error
}

type Typist struct {
	locks tokens.Locker
	press Press
}

func bookKey(book int64) string { return fmt.Sprintf("press:book:%d:type", book) }

// Type types all chapters and prolongs the lock after each.
func (t *Typist) Type(ctx context.Context, book int64) error {
	return t.each(ctx, book, func(ctx context.Context, token string) error {
		return t.locks.Prolong(ctx, bookKey(book), token, 30*time.Second)
	})
}

// Retype is the older way.
func (t *Typist) Retype(ctx context.Context, book int64) error {
	return t.each(ctx, book, func(ctx context.Context, _ string) error {
		return t.locks.Extend(ctx, bookKey(book), 30*time.Second) // ALSO-OK: ownerless-extend
	})
}

func (t *Typist) each(ctx context.Context, book int64, after func(ctx context.Context, token string) error) (err error) {
	token, err := t.locks.TryLock(ctx, bookKey(book), 30*time.Second)
	if err != nil {
		return fmt.Errorf("book %d: %w", book, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, t.locks.Unlock(end, bookKey(book), token))
	}()
	chapters, err := t.press.Chapters(ctx, book)
	if err != nil {
		return err
	}
	for _, c := range chapters {
		if err := t.press.Type(ctx, c); err != nil {
			return err
		}
		if err := after(ctx, token); err != nil {
			return err
		}
	}
	return nil
}
