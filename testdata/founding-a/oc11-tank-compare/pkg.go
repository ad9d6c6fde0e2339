// Package tankcompare fills the tanks of a fuel depot.
package tankcompare

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
)

var ErrTank = errors.New("tank is being filled")

type Depot struct {
	rdb  *redis.Client
	pump func(ctx context.Context, tank int64, litres int) error
}

func tankKey(tank int64) string { return fmt.Sprintf("depot:tank:%d:fill", tank) }

func valveKey(tank int64) string { return fmt.Sprintf("depot:valve:%d:test", tank) }

func newOwner() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

// Fill pumps so many litres into a tank.
func (d *Depot) Fill(ctx context.Context, tank int64, litres int) error {
	own, err := newOwner()
	if err != nil {
		return err
	}
	ok, err := d.rdb.SetNX(ctx, tankKey(tank), own, 50*time.Second).Result()
	if err != nil {
		return fmt.Errorf("tank %d: %w", tank, err)
	}
	if !ok {
		return ErrTank
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if d.rdb.Get(end, tankKey(tank)).Val() == own {
			d.rdb.Unlink(end, tankKey(tank)) // EXPECT: nonatomic-release
		}
	}()
	return d.pump(ctx, tank, litres)
}

// TestValve opens and closes the valve; the switch decides by the owner.
func (d *Depot) TestValve(ctx context.Context, tank int64) (err error) {
	own, err := newOwner()
	if err != nil {
		return err
	}
	ok, err := d.rdb.SetNX(ctx, valveKey(tank), own, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("valve %d: %w", tank, err)
	}
	if !ok {
		return ErrTank
	}
	err = d.pump(ctx, tank, 0)
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	switch now, gerr := d.rdb.Get(end, valveKey(tank)).Result(); {
	case errors.Is(gerr, redis.Nil), gerr == nil && now != own:
		return errors.Join(err, errors.New("valve test took too long"))
	case gerr != nil:
		return errors.Join(err, gerr)
	default:
		return errors.Join(err, d.rdb.Del(end, valveKey(tank)).Err()) // EXPECT: nonatomic-release
	}
}
