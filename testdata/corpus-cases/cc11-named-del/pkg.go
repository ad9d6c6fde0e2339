// Package named wraps the client's commands under their own names; one of them frees a lock.
package named

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Store is the wrapped client.
type Store struct{ rdb *redis.Client }

// Delete deletes any key.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.rdb.Del(ctx, key).Err(); err != nil { // EXPECT: ownerless-release
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

func shelfKey(shelf string) string { return "shelf:" + shelf }

// Lock takes a shelf.
func (s *Store) Lock(ctx context.Context, shelf string) (bool, error) {
	return s.rdb.SetNX(ctx, shelfKey(shelf), "true", 20*time.Second).Result() // EXPECT: constant-owner
}

// Unlock gives it back.
func (s *Store) Unlock(ctx context.Context, shelf string) error {
	return s.Delete(ctx, shelfKey(shelf))
}

// Forget deletes what is remembered of a book.
func (s *Store) Forget(ctx context.Context, book string) error { return s.Delete(ctx, "book:"+book) }

// Sort sorts a shelf.
func Sort(ctx context.Context, s *Store, shelf string, sort func(context.Context) error) error {
	ok, err := s.Lock(ctx, shelf)
	if err != nil || !ok {
		return err
	}
	defer func() { _ = s.Unlock(context.WithoutCancel(ctx), shelf) }()
	return sort(ctx)
}
