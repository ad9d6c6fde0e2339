// Package longhanded ships parcels and letters.
package longhanded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/lt20-long-handed/hold"
)

// shipTTL was chosen on a bad day.
const shipTTL = 30 * time.Minute // ALSO-OK: long-ttl

type Post struct {
	rdb  *redis.Client
	ship func(ctx context.Context, id int64) error
}

func parcelKey(id int64) string { return fmt.Sprintf("post:parcel:%d:ship", id) }

// Parcel ships a parcel.
func (p *Post) Parcel(ctx context.Context, id int64) (err error) {
	h, err := hold.Take(ctx, p.rdb, parcelKey(id), shipTTL) // EXPECT: long-ttl
	if err != nil {
		return fmt.Errorf("parcel %d: %w", id, err)
	}
	defer func() { err = errors.Join(err, h.Let(ctx)) }()
	return p.ship(ctx, id)
}
