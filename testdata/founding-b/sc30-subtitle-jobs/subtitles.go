// EXPECT-NONE

// Package subtitlejobs has films subtitled by an outside company.
package subtitlejobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("film is being ordered")

// Orders orders subtitles.
type Orders interface {
	Order(ctx context.Context, film int64) error
}

// Company is the outside company.
type Company interface {
	Ordered(ctx context.Context, film int64) (bool, error)
	Order(ctx context.Context, film int64) error
}

type plain struct{ company Company }

func (p plain) Order(ctx context.Context, film int64) error {
	done, err := p.company.Ordered(ctx, film)
	if err != nil || done {
		return err
	}
	return p.company.Order(ctx, film)
}

// patient tries twice; it stands behind the lock.
type patient struct{ next Orders }

func (p patient) Order(ctx context.Context, film int64) error {
	err := p.next.Order(ctx, film)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return p.next.Order(ctx, film)
}

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type exclusive struct {
	next Orders
	rdb  redis.UniversalClient
}

func filmKey(film int64) string { return fmt.Sprintf("subtitle:film:%d", film) }

func (e exclusive) Order(ctx context.Context, film int64) (err error) {
	key, owner := filmKey(film), uuid.NewString()
	ok, err := e.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, e.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return e.next.Order(work, film)
}

// measured says how long orders take; it stands before the lock.
type measured struct{ next Orders }

func (m measured) Order(ctx context.Context, film int64) error {
	start := time.Now()
	err := m.next.Order(ctx, film)
	slog.InfoContext(ctx, "subtitles ordered", "film", film, "took", time.Since(start), "err", err)
	return err
}

// OrderAll orders through the whole chain.
func (m measured) OrderAll(ctx context.Context, films []int64) error {
	for _, film := range films {
		if err := m.next.Order(ctx, film); err != nil {
			return fmt.Errorf("film %d: %w", film, err)
		}
	}
	return nil
}

// New returns the chain: measured, locked, tried twice.
func New(company Company, rdb redis.UniversalClient) Orders {
	return measured{next: exclusive{next: patient{next: plain{company}}, rdb: rdb}}
}
