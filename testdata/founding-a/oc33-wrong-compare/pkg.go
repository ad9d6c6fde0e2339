// Package wrongcompare lends the boats of a lake.
package wrongcompare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc33-wrong-compare/dock"
)

var ErrBoat = errors.New("boat is being lent")

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

type Lake struct {
	rdb  *redis.Client
	dock dock.Dock
	lend func(ctx context.Context, boat int64) error
}

func New(rdb *redis.Client, lend func(context.Context, int64) error) *Lake {
	return &Lake{rdb: rdb, dock: dock.New(rdb), lend: lend}
}

func boatKey(boat int64) string { return fmt.Sprintf("lake:boat:%d:lend", boat) }

func oarKey(boat int64) string { return fmt.Sprintf("lake:oars:%d:lend", boat) }

// Lend lends a boat; key and owner have changed places in its release.
func (l *Lake) Lend(ctx context.Context, boat int64) (err error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, boatKey(boat), own, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("boat %d: %w", boat, err)
	}
	if !ok {
		return ErrBoat
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, compareAndDelete.Run(end, l.rdb, []string{own}, boatKey(boat)).Err()) // EXPECT: broken-release
	}()
	return l.lend(ctx, boat)
}

// LendOars lends oars; their owner carries a prefix that the release does not know.
func (l *Lake) LendOars(ctx context.Context, boat int64) (err error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, oarKey(boat), "lake/"+own, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("oars %d: %w", boat, err)
	}
	if !ok {
		return ErrBoat
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, compareAndDelete.Run(end, l.rdb, []string{oarKey(boat)}, own).Err()) // EXPECT: broken-release
	}()
	return l.lend(ctx, boat)
}

// Moor moors a boat at the dock.
func (l *Lake) Moor(ctx context.Context, boat int64) (err error) {
	if err := l.dock.Take(ctx, boat); err != nil {
		return fmt.Errorf("dock %d: %w", boat, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, l.dock.Give(end, boat))
	}()
	return l.lend(ctx, boat)
}
