// Package extendforms waters the greenhouses of a nursery, one gardener in each.
package extendforms

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrOccupied = errors.New("a gardener is there")
	ErrLeft     = errors.New("the greenhouse is free again")
)

type scripts struct{ leave, stay string }

var lua = scripts{
	leave: `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`,
	stay:  `if redis.call("EXISTS", KEYS[1]) == 1 then return redis.call("PEXPIRE", KEYS[1], ARGV[1]) end return 0`,
}

type Nursery struct{ rdb *redis.Client }

// Visit is one gardener in one greenhouse.
type Visit struct {
	rdb   *redis.Client
	house int64
	own   string
}

func houseKey(house int64) string { return fmt.Sprintf("nursery:house:%d:visit", house) }

const stay = 30 * time.Second

// Enter begins a visit.
func (n *Nursery) Enter(ctx context.Context, house int64) (*Visit, error) {
	v := &Visit{rdb: n.rdb, house: house, own: uuid.NewString()}
	ok, err := n.rdb.SetNX(ctx, houseKey(house), v.own, stay).Result()
	if err != nil {
		return nil, fmt.Errorf("house %d: %w", house, err)
	}
	if !ok {
		return nil, ErrOccupied
	}
	return v, nil
}

// Leave ends the visit.
func (v *Visit) Leave(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return v.rdb.Eval(end, lua.leave, []string{houseKey(v.house)}, v.own).Err()
}

// Stay extends by a script that asks only whether the key is there.
func (v *Visit) Stay(ctx context.Context) error {
	n, err := v.rdb.Eval(ctx, lua.stay, []string{houseKey(v.house)}, stay.Milliseconds()).Int() // EXPECT: ownerless-extend
	if err == nil && n == 0 {
		err = ErrLeft
	}
	return err
}

// StayAndLook reads the owner and extends at once; what it learns comes too late.
func (v *Visit) StayAndLook(ctx context.Context) error {
	now, err := v.rdb.GetEx(ctx, houseKey(v.house), stay).Result() // EXPECT: ownerless-extend
	if errors.Is(err, redis.Nil) || err == nil && now != v.own {
		return ErrLeft
	}
	return err
}

// StayByWord uses the bare command.
func (v *Visit) StayByWord(ctx context.Context) error {
	n, err := v.rdb.Do(ctx, "EXPIRE", houseKey(v.house), 30, "XX").Int() // EXPECT: ownerless-extend
	if err == nil && n == 0 {
		err = ErrLeft
	}
	return err
}

// StayAll extends many visits in one round trip.
func StayAll(ctx context.Context, rdb redis.Cmdable, visits []*Visit) error {
	_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, v := range visits {
			p.Expire(ctx, houseKey(v.house), stay) // EXPECT: ownerless-extend
		}
		return nil
	})
	return err
}

// StayMine extends as the owner, and nobody else.
func (v *Visit) StayMine(ctx context.Context) error {
	err := v.rdb.SetIFEQ(ctx, houseKey(v.house), v.own, v.own, stay).Err()
	if errors.Is(err, redis.Nil) {
		return ErrLeft
	}
	return err
}
