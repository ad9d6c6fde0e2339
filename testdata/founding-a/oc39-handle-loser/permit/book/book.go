// Package book is where permits are written down.
package book

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Book struct{ rdb redis.UniversalClient }

func New(rdb redis.UniversalClient) *Book { return &Book{rdb: rdb} }

// Enter writes a page that is blank.
func (b *Book) Enter(ctx context.Context, page string, d time.Duration) (bool, error) {
	return b.rdb.SetNX(ctx, page, uuid.NewString(), d).Result()
}

// Strike makes a page blank.
func (b *Book) Strike(ctx context.Context, page string) error {
	return b.rdb.Unlink(ctx, page).Err() // EXPECT: ownerless-release
}
