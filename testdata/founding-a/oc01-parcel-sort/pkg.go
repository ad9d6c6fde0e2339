// Package parcelsort sends parcels to the chutes of a sorting hall.
package parcelsort

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrChuteBusy = errors.New("chute is being emptied")

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Hall moves what lies in a chute.
type Hall interface {
	Empty(ctx context.Context, chute int64) (int, error)
	Weigh(ctx context.Context, chute int64) (float64, error)
}

type Sorter struct {
	rdb  *redis.Client
	hall Hall
}

func chuteKey(chute int64) string { return fmt.Sprintf("hall:chute:%d:empty", chute) }

func scaleKey(chute int64) string { return fmt.Sprintf("hall:scale:%d:tare", chute) }

// Empty empties a chute into a cage.
func (s *Sorter) Empty(ctx context.Context, chute int64) (int, error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, chuteKey(chute), own, 40*time.Second).Result()
	if err != nil {
		return 0, fmt.Errorf("chute %d: %w", chute, err)
	}
	if !ok {
		return 0, ErrChuteBusy
	}
	slog.Debug("emptying", "chute", chute, "owner", own)
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if err := s.rdb.Unlink(end, chuteKey(chute)).Err(); err != nil { // EXPECT: ownerless-release
			slog.Warn("chute lock", "chute", chute, "err", err)
		}
	}()
	return s.hall.Empty(ctx, chute)
}

// Tare weighs an empty chute.
func (s *Sorter) Tare(ctx context.Context, chute int64) (kg float64, err error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, scaleKey(chute), own, 20*time.Second).Result()
	if err != nil {
		return 0, fmt.Errorf("scale %d: %w", chute, err)
	}
	if !ok {
		return 0, ErrChuteBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, compareAndDelete.Run(end, s.rdb, []string{scaleKey(chute)}, own).Err())
	}()
	return s.hall.Weigh(ctx, chute)
}
