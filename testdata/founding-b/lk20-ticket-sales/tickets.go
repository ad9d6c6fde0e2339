// Package ticketsales sells tickets in two ways.
package ticketsales

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBusy = errors.New("somebody else is at it")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Venue does the work.
type Venue interface {
	Sell(ctx context.Context, what string, id int64) error
}

// Locker holds locks of one kind; kind is what its keys begin with.
type Locker struct {
	cli  redis.UniversalClient
	kind string
}

// Key names one lock.
func (l Locker) Key(id int64) string { return l.kind + strconv.FormatInt(id, 10) }

func (l Locker) hold(ctx context.Context, id int64, fn func(context.Context) error) (err error) {
	key, owner := l.Key(id), uuid.NewString()
	ok, err := l.cli.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, l.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Counter sells at the venue.
type Counter struct {
	venue Venue
	rows  Locker
	boxes Locker
}

// NewCounter opens a counter.
func NewCounter(cli redis.UniversalClient, venue Venue) *Counter {
	return &Counter{
		venue: venue,
		rows:  Locker{cli: cli, kind: "venue:row:"},   // ALSO-OK: mismatched-prefix
		boxes: Locker{cli: cli, kind: "theatre-box:"}, // ALSO-OK: mismatched-prefix
	}
}

// Row sells a row.
func (c *Counter) Row(ctx context.Context, row int64) error {
	return c.rows.hold(ctx, row, func(ctx context.Context) error { return c.venue.Sell(ctx, "row", row) })
}

// Box sells a box.
func (c *Counter) Box(ctx context.Context, box int64) error {
	return c.boxes.hold(ctx, box, func(ctx context.Context) error { return c.venue.Sell(ctx, "box", box) })
}

// Phone sells by telephone.
type Phone struct {
	venue Venue
	rows  Locker
	boxes Locker
}

// NewPhone opens the telephone line; it sells the same rows and boxes.
func NewPhone(cli redis.UniversalClient, venue Venue) *Phone {
	p := &Phone{venue: venue}
	p.rows = Locker{cli: cli, kind: "venue:rows:"} // EXPECT: mismatched-prefix

	p.boxes = Locker{cli: cli, kind: "Theatre-Box:"} // EXPECT: mismatched-prefix
	return p
}

// Row sells a row.
func (p *Phone) Row(ctx context.Context, row int64) error {
	return p.rows.hold(ctx, row, func(ctx context.Context) error { return p.venue.Sell(ctx, "row", row) })
}

// Box sells a box.
func (p *Phone) Box(ctx context.Context, box int64) error {
	return p.boxes.hold(ctx, box, func(ctx context.Context) error { return p.venue.Sell(ctx, "box", box) })
}
