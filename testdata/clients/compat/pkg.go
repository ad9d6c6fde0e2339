// Package loom weaves, with rueidis behind the methods of go-redis.
package loom

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidiscompat"
)

var errWeaving = errors.New("loom is weaving")

type Mill struct{ rdb rueidiscompat.Cmdable }

func New(client rueidis.Client) *Mill { return &Mill{rdb: rueidiscompat.NewAdapter(client)} }

func loomKey(loom int) string { return fmt.Sprintf("mill:loom:%d", loom) }

func vatKey(vat int) string { return fmt.Sprintf("mill:vat:%d", vat) }

func yarnKey(bale int) string { return fmt.Sprintf("mill:yarn:%d", bale) }

func carderKey(carder int) string { return fmt.Sprintf("mill:carder:%d", carder) }

var free = rueidiscompat.NewScript(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0`)

// Weave weaves on a loom.
func (m *Mill) Weave(ctx context.Context, loom int, weave func(context.Context) error) (err error) {
	own := uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, loomKey(loom), own, 40*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errWeaving
	}
	defer func() { err = errors.Join(err, free.Run(ctx, m.rdb, []string{loomKey(loom)}, own).Err()) }()
	return weave(ctx)
}

// Dye dyes in a vat.
func (m *Mill) Dye(ctx context.Context, vat int, dye func(context.Context) error) error {
	if ok, err := m.rdb.SetNX(ctx, vatKey(vat), uuid.NewString(), 40*time.Second).Result(); err != nil || !ok {
		return errors.Join(errWeaving, err)
	}
	defer m.rdb.Del(ctx, vatKey(vat)) // EXPECT: ownerless-release
	return dye(ctx)
}

// Spin spins a bale.
func (m *Mill) Spin(ctx context.Context, bale int, spin func(context.Context) error) error {
	if ok, err := m.rdb.SetNX(ctx, yarnKey(bale), "spinner", 0).Result(); err != nil || !ok { // EXPECT: constant-owner, nonatomic-ttl
		return errors.Join(errWeaving, err)
	}
	m.rdb.Expire(ctx, yarnKey(bale), time.Minute) // ALSO-OK: nonatomic-ttl
	defer free.Run(ctx, m.rdb, []string{yarnKey(bale)}, "spinner")
	return spin(ctx)
}

// Card gives the carder back also for whoever did not get it.
func (m *Mill) Card(ctx context.Context, carder int, card func(context.Context) error) error {
	own := uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, carderKey(carder), own, 40*time.Second).Result()
	defer m.rdb.Del(ctx, carderKey(carder)) // EXPECT: ownerless-release, release-not-acquired
	if err != nil || !ok {
		return errors.Join(errWeaving, err)
	}
	return card(ctx)
}

func breakKey(weaver string) string { return "mill:break:" + weaver }

// Break allows a weaver a break every two hours.
func (m *Mill) Break(ctx context.Context, weaver string) bool {
	return m.rdb.SetNX(ctx, breakKey(weaver), 1, 2*time.Hour).Val()
}
