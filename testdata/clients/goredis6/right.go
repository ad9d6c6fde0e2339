// EXPECT-NONE

// Package tables seats guests, with the go-redis of 2019.
package tables

import (
	"errors"
	"strconv"
	"time"

	"github.com/go-redis/redis"
	"github.com/google/uuid"

	"example.test/clients/goredis6/guard"
)

var errSeated = errors.New("table is being set")

type Floor struct {
	rdb  *redis.Client
	ring *redis.Ring
}

func tableKey(table int) string { return "floor:table:" + strconv.Itoa(table) }

func barKey(stool int) string { return "floor:bar:" + strconv.Itoa(stool) }

func terraceKey(table int) string { return "floor:terrace:" + strconv.Itoa(table) }

var free = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

// Seat seats a party.
func (f *Floor) Seat(table int, party func() error) (err error) {
	own := uuid.NewString()
	ok, err := f.rdb.SetNX(tableKey(table), own, 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errSeated
	}
	defer func() { err = errors.Join(err, free.Run(f.rdb, []string{tableKey(table)}, own).Err()) }()
	return party()
}

// Stool is the same on a ring, by words.
func (f *Floor) Stool(stool int, sit func() error) error {
	own := uuid.NewString()
	err := f.ring.Process(redis.NewStatusCmd("set", barKey(stool), own, "nx", "px", 20000))
	if err != nil {
		return err
	}
	defer free.EvalSha(f.ring, []string{barKey(stool)}, own)
	return sit()
}

// Terrace goes through the helper.
func (f *Floor) Terrace(table int, serve func() error) error {
	g := guard.New(f.ring, terraceKey(table))
	if err := g.Take(); err != nil {
		return err
	}
	defer g.Free()
	return serve()
}

func waitKey(guest string) string { return "floor:wait:" + guest }

// Wait lets a guest ask once a minute.
func (f *Floor) Wait(guest string) (bool, error) {
	return f.ring.SetNX(waitKey(guest), 1, time.Minute).Result()
}

func menuKey(day string) string { return "floor:menu:" + day }

// Menu reads the menu, and Reprint drops it.
func (f *Floor) Menu(day string, write func() (string, error)) (string, error) {
	menu, err := f.ring.Get(menuKey(day)).Result()
	if err != redis.Nil {
		return menu, err
	}
	if menu, err = write(); err != nil {
		return "", err
	}
	return menu, f.ring.Set(menuKey(day), menu, time.Hour).Err()
}

func (f *Floor) Reprint(day string) error { return f.ring.Del(menuKey(day)).Err() }
