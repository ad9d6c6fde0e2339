// EXPECT-NONE

// Package greenhousewater waters the beds of a greenhouse.
package greenhousewater

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("bed is being watered")

// Waterer waters a bed that is dry.
type Waterer interface {
	Water(ctx context.Context, bed int64) error
}

// Valves are the pipes and the sensors.
type Valves interface {
	Dry(ctx context.Context, bed int64) (bool, error)
	Open(ctx context.Context, bed int64, d time.Duration) error
}

type plain struct{ valves Valves }

func (p plain) Water(ctx context.Context, bed int64) error {
	dry, err := p.valves.Dry(ctx, bed)
	if err != nil || !dry {
		return err
	}
	return p.valves.Open(ctx, bed, 5*time.Second)
}

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type shared struct {
	next Waterer
	rdb  redis.UniversalClient
}

// New returns a waterer for several controllers.
func New(valves Valves, rdb redis.UniversalClient) Waterer {
	return shared{next: plain{valves}, rdb: rdb}
}

func bedKey(bed int64) string { return fmt.Sprintf("greenhouse:bed:%d", bed) }

func (s shared) Water(ctx context.Context, bed int64) (err error) {
	key, owner := bedKey(bed), uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, s.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return s.next.Water(work, bed)
}
