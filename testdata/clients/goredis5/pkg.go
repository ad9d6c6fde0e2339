// Package stalls lets market stalls, with the go-redis that had its version in the host's path.
package stalls

import (
	"errors"
	"time"

	"github.com/google/uuid"
	"gopkg.in/redis.v5"
)

var errLet = errors.New("stall is being let")

type Market struct{ rdb *redis.Client }

func stallKey(stall string) string { return "market:stall:" + stall }

func spotKey(spot string) string { return "market:spot:" + spot }

func cartKey(cart string) string { return "market:cart:" + cart }

func bellKey(day string) string { return "market:bell:" + day }

var free = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

// Let lets a stall.
func (m *Market) Let(stall string, sign func() error) (err error) {
	own := uuid.NewString()
	ok, err := m.rdb.SetNX(stallKey(stall), own, 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errLet
	}
	defer func() { err = errors.Join(err, free.Run(m.rdb, []string{stallKey(stall)}, own).Err()) }()
	return sign()
}

// Spot lets a spot without a stall.
func (m *Market) Spot(spot string, sign func() error) error {
	ok, err := m.rdb.SetNX(spotKey(spot), uuid.NewString(), 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errLet
	}
	defer m.rdb.Del(spotKey(spot)) // EXPECT: ownerless-release
	return sign()
}

// Cart lets a cart, by the name of the clerk.
func (m *Market) Cart(cart string, sign func() error) error {
	if ok, err := m.rdb.SetNX(cartKey(cart), "clerk", 30*time.Second).Result(); err != nil || !ok { // EXPECT: constant-owner
		return errLet
	}
	defer free.Run(m.rdb, []string{"market:cart:" + cart}, "clerk")
	return sign()
}

// Bell rings once a day.
func (m *Market) Bell(day string) (bool, error) {
	return m.rdb.SetNX(bellKey(day), 1, 24*time.Hour).Result()
}
