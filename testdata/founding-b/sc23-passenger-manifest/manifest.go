// EXPECT-NONE

// Package passengermanifest keeps the passenger lists of ferries.
package passengermanifest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("list is being changed")

// Manifest is the passenger list of each trip.
type Manifest interface {
	Board(ctx context.Context, trip, passenger int64) error
	Aboard(ctx context.Context, trip int64) (int, error)
	Report(ctx context.Context, trips []int64) (string, error)
}

// Rows stores passengers.
type Rows interface {
	Count(ctx context.Context, trip int64) (int, error)
	Capacity(ctx context.Context, trip int64) (int, error)
	Add(ctx context.Context, trip, passenger int64) error
}

type list struct{ rows Rows }

func (l *list) Board(ctx context.Context, trip, passenger int64) error {
	n, err := l.Aboard(ctx, trip)
	if err != nil {
		return err
	}
	room, err := l.rows.Capacity(ctx, trip)
	if err != nil {
		return err
	}
	if n >= room {
		return fmt.Errorf("trip %d is full", trip)
	}
	return l.rows.Add(ctx, trip, passenger)
}

// Aboard only reads.
func (l *list) Aboard(ctx context.Context, trip int64) (int, error) { return l.rows.Count(ctx, trip) }

// Report reads as well, and needs no lock.
func (l *list) Report(ctx context.Context, trips []int64) (string, error) {
	var b strings.Builder
	for _, trip := range trips {
		n, err := l.Aboard(ctx, trip)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "trip %d: %d\n", trip, n)
	}
	return b.String(), nil
}

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type gangway struct {
	Manifest
	rdb redis.UniversalClient
}

// New returns the lists with their lock in front.
func New(rows Rows, rdb redis.UniversalClient) Manifest {
	return &gangway{Manifest: &list{rows}, rdb: rdb}
}

func tripKey(trip int64) string { return fmt.Sprintf("ferry:trip:%d", trip) }

func (g *gangway) Board(ctx context.Context, trip, passenger int64) (err error) {
	key, owner := tripKey(trip), uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, key, owner, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, g.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return g.Manifest.Board(work, trip, passenger)
}

// Free tells how many seats are left, which may be out of date when the answer arrives.
func (g *gangway) Free(ctx context.Context, trip int64, room int) (int, error) {
	n, err := g.Manifest.Aboard(ctx, trip)
	return room - n, err
}
