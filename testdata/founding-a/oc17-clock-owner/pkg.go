// EXPECT-NONE

// Package clockowner bills the meters of a street.
package clockowner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc17-clock-owner/redislock"
)

var ErrBilling = errors.New("meter is being billed")

type Biller struct {
	rdb  *redis.Client
	bill func(ctx context.Context, meter int64) error
}

func meterKey(meter int64) string { return fmt.Sprintf("street:meter:%d:bill", meter) }

// Bill bills one meter.
func (b *Biller) Bill(ctx context.Context, meter int64) (err error) {
	l := redislock.New(b.rdb, meterKey(meter), redislock.WithTTL(40*time.Second))
	ok, err := l.Lock(ctx)
	if err != nil {
		return fmt.Errorf("meter %d: %w", meter, err)
	}
	if !ok {
		return ErrBilling
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, l.Unlock(end))
	}()
	return b.bill(ctx, meter)
}
