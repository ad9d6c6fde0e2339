// Package mine runs the shafts of a mine, with valkey-go.
package mine

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/valkey-io/valkey-go"
)

var errOccupied = errors.New("shaft is occupied")

type Mine struct{ client valkey.Client }

func shaftKey(shaft string) string { return "mine:shaft:" + shaft }

func cageKey(cage string) string { return "mine:cage:" + cage }

func fanKey(fan string) string { return "mine:fan:" + fan }

func cartKey(cart string) string { return "mine:cart:" + cart }

func drillKey(drill string) string { return "mine:drill:" + drill }

var compareAndDelete = valkey.NewLuaScript(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0`)

// Shaft goes down a shaft.
func (m *Mine) Shaft(ctx context.Context, shaft string, dig func(context.Context) error) (err error) {
	own := uuid.NewString()
	err = m.client.Do(ctx, m.client.B().Set().Key(shaftKey(shaft)).Value(own).Nx().Px(45*time.Second).Build()).Error()
	if valkey.IsValkeyNil(err) {
		return errOccupied
	}
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, compareAndDelete.Exec(context.WithoutCancel(ctx), m.client, []string{shaftKey(shaft)}, []string{own}).Error())
	}()
	return dig(ctx)
}

// Cage lifts a cage, and gives it back whoever rides in it.
func (m *Mine) Cage(ctx context.Context, cage string, lift func(context.Context) error) error {
	err := m.client.Do(ctx, m.client.B().Set().Key(cageKey(cage)).Value(uuid.NewString()).Nx().Px(45*time.Second).Build()).Error()
	if valkey.IsValkeyNil(err) {
		return errOccupied
	}
	if err != nil {
		return err
	}
	defer func() {
		_ = m.client.Do(context.WithoutCancel(ctx), m.client.B().Unlink().Key(cageKey(cage)).Build()).Error() // EXPECT: ownerless-release
	}()
	return lift(ctx)
}

// Fan is owned by everybody.
func (m *Mine) Fan(ctx context.Context, fan string, turn func(context.Context) error) error {
	won, err := m.client.Do(ctx, m.client.B().Setnx().Key(fanKey(fan)).Value("foreman").Build()).AsBool() // EXPECT: constant-owner, no-ttl
	if err != nil || !won {
		return errors.Join(errOccupied, err)
	}
	defer compareAndDelete.Exec(ctx, m.client, []string{fanKey(fan)}, []string{"foreman"})
	return turn(ctx)
}

// Cart is given back also by whoever did not get it.
func (m *Mine) Cart(ctx context.Context, cart string, push func(context.Context) error) error {
	own := uuid.NewString()
	err := m.client.Do(ctx, m.client.B().Set().Key(cartKey(cart)).Value(own).Nx().Ex(30*time.Second).Build()).Error()
	defer func() {
		_ = m.client.Do(ctx, m.client.B().Del().Key(cartKey(cart)).Build()).Error() // EXPECT: ownerless-release, release-not-acquired
	}()
	if err != nil {
		return err
	}
	return push(ctx)
}

// Drill is given back by a script that wants one argument more.
func (m *Mine) Drill(ctx context.Context, drill string, bore func(context.Context) error) error {
	own := uuid.NewString()
	err := m.client.Do(ctx, m.client.B().Set().Key(drillKey(drill)).Value(own).Nx().Ex(30*time.Second).Build()).Error()
	if err != nil {
		return errors.Join(errOccupied, err)
	}
	end := m.client.B().Eval().Script(`if redis.call("GET",KEYS[1]) == ARGV[2] then return redis.call("DEL",KEYS[1]) end return 0`).Numkeys(1).Key(drillKey(drill)).Arg(own).Build()
	defer m.client.Do(ctx, end) // EXPECT: broken-release
	return bore(ctx)
}

func lampKey(miner string) string { return "mine:lamp:" + miner }

// Lamp hands a lamp out once a shift.
func (m *Mine) Lamp(ctx context.Context, miner string) (bool, error) {
	err := m.client.Do(ctx, m.client.B().Set().Key(lampKey(miner)).Value("1").Nx().Ex(8*time.Hour).Build()).Error()
	if valkey.IsValkeyNil(err) {
		return false, nil
	}
	return err == nil, err
}
