// EXPECT-NONE

// Package parcels hands out parcels. A depot is known by one of two names, an old one and a new one, and whoever looks
// it up finds out by which.
package parcels

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrBusy says that somebody else works at the depot.
var ErrBusy = errors.New("the depot is busy")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Depot struct{ Region, Name string }

func (d Depot) id() string { return d.Region + ":" + d.Name }

func (d Depot) oldID() string { return d.Region + "-" + d.Name }

type Parcels struct {
	rdb *redis.Client
	old func(ctx context.Context, id string) (bool, error)
}

func depotKey(id string) string { return "parcels:depot:" + id }

// Sort locks the depot by the name that it is known by: one key per depot, whichever it is.
func (p *Parcels) Sort(ctx context.Context, d Depot, work func(context.Context) error) (err error) {
	id := d.id()
	switch old, err := p.old(ctx, d.oldID()); {
	case err != nil:
		return err
	case old:
		id = d.oldID()
	}
	key, own := depotKey(id), uuid.NewString()
	ok, err := p.rdb.SetNX(ctx, key, own, 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, giveBack.Run(end, p.rdb, []string{key}, own).Err())
	}()
	return work(ctx)
}
