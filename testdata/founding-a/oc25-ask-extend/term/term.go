// Package term is for offices that are held for a term.
package term

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrOffice = errors.New("office is held")
	ErrOver   = errors.New("term is over")
)

// Term is the time for which an office of type O is held.
type Term[O any] struct {
	rdb   redis.UniversalClient
	key   string
	seal  string
	Since time.Time
	About O
}

// Begin takes the office.
func Begin[O any](ctx context.Context, rdb redis.UniversalClient, key string, about O, d time.Duration) (*Term[O], error) {
	t := &Term[O]{rdb: rdb, key: key, seal: uuid.NewString(), Since: time.Now(), About: about}
	ok, err := rdb.SetNX(ctx, key, t.seal, d).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrOffice
	}
	return t, nil
}

// Renew asks who holds the office and then prolongs the term; between the two the office may change hands.
func (t *Term[O]) Renew(ctx context.Context, d time.Duration) error {
	now, err := t.rdb.Get(ctx, t.key).Result()
	if errors.Is(err, redis.Nil) || err == nil && now != t.seal {
		return ErrOver
	}
	if err != nil {
		return err
	}
	ok, err := t.rdb.ExpireXX(ctx, t.key, d).Result() // EXPECT: ownerless-extend
	if err == nil && !ok {
		err = ErrOver
	}
	return err
}

// End gives the office back.
func (t *Term[O]) End(ctx context.Context) error {
	return t.rdb.DelExArgs(ctx, t.key, redis.DelExArgs{Mode: "IFEQ", MatchValue: t.seal}).Err()
}
