// EXPECT-NONE

package longhanded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/lt20-long-handed/hold"
)

func letterKey(id int64) string { return fmt.Sprintf("post:letter:%d:ship", id) }

func stampKey(id int64) string { return fmt.Sprintf("post:stamp:%d:print", id) }

// Letter hands over the constant that Parcel is reported for already.
func (p *Post) Letter(ctx context.Context, id int64) (err error) {
	h, err := hold.Take(ctx, p.rdb, letterKey(id), shipTTL)
	if err != nil {
		return fmt.Errorf("letter %d: %w", id, err)
	}
	defer func() { err = errors.Join(err, h.Let(ctx)) }()
	return p.ship(ctx, id)
}

// Stamp has a TTL near to what it needs.
func (p *Post) Stamp(ctx context.Context, id int64) (err error) {
	h, err := hold.Take(ctx, p.rdb, stampKey(id), 15*time.Second)
	if err != nil {
		return fmt.Errorf("stamp %d: %w", id, err)
	}
	defer func() { err = errors.Join(err, h.Let(ctx)) }()
	work, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	return p.ship(work, id)
}
