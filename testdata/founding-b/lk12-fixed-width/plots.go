// EXPECT-NONE

// Package fixedwidth sells plots of land; its key parts cannot run into each other.
package fixedwidth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("plot is being sold")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Side is a side of a street.
type Side byte

// The sides.
const (
	Left  Side = 'L'
	Right Side = 'R'
)

// Land does the work.
type Land interface {
	Sell(ctx context.Context, district, plot int) error
	Survey(ctx context.Context, day time.Time, plot int) error
	Merge(ctx context.Context, a, b int64) error
	Rename(ctx context.Context, side Side, house int) error
	Scan(ctx context.Context, deed, page uuid.UUID) error
	Verify(ctx context.Context, deed, seal []byte) error
}

type Office struct {
	rdb  redis.UniversalClient
	land Land
}

func (o *Office) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := o.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, o.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

func plotKey(district, plot int) string { return fmt.Sprintf("plot:%08d%08d", district, plot) }

// Sell sells a plot.
func (o *Office) Sell(ctx context.Context, district, plot int) error {
	return o.hold(ctx, plotKey(district, plot), func(ctx context.Context) error { return o.land.Sell(ctx, district, plot) })
}

// surveyKey begins with a date of eight digits.
func surveyKey(day time.Time, plot int) string {
	return "survey:" + day.Format("20060102") + strconv.Itoa(plot)
}

// Survey measures a plot.
func (o *Office) Survey(ctx context.Context, day time.Time, plot int) error {
	return o.hold(ctx, surveyKey(day, plot), func(ctx context.Context) error { return o.land.Survey(ctx, day, plot) })
}

// mergeKey uses Sprint, which puts a space between two numbers.
func mergeKey(a, b int64) string { return "{parcel-merge}:" + fmt.Sprint(min(a, b), max(a, b)) }

// Merge makes one plot of two.
func (o *Office) Merge(ctx context.Context, a, b int64) error {
	return o.hold(ctx, mergeKey(a, b), func(ctx context.Context) error { return o.land.Merge(ctx, a, b) })
}

func houseKey(side Side, house int) string { return fmt.Sprintf("street-side:%c%d", side, house) }

// Rename gives a house another number.
func (o *Office) Rename(ctx context.Context, side Side, house int) error {
	return o.hold(ctx, houseKey(side, house), func(ctx context.Context) error { return o.land.Rename(ctx, side, house) })
}

// pageKey joins two texts of 36 characters each.
func pageKey(deed, page uuid.UUID) string { return "deed-page:" + deed.String() + page.String() }

// Scan stores a page of a deed.
func (o *Office) Scan(ctx context.Context, deed, page uuid.UUID) error {
	return o.hold(ctx, pageKey(deed, page), func(ctx context.Context) error { return o.land.Scan(ctx, deed, page) })
}

// sealKey joins two sums of 32 bytes each.
func sealKey(deed, seal []byte) string {
	return fmt.Sprintf("deed-seal:%x%x", sha256.Sum256(deed), sha256.Sum256(seal))
}

// Verify compares a deed with its seal.
func (o *Office) Verify(ctx context.Context, deed, seal []byte) error {
	return o.hold(ctx, sealKey(deed, seal), func(ctx context.Context) error { return o.land.Verify(ctx, deed, seal) })
}
