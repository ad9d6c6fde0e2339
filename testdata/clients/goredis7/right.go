// EXPECT-NONE

// Package lanes books bowling lanes, with go-redis v7.
package lanes

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v7"
	"github.com/google/uuid"
)

var errBowling = errors.New("lane in use")

type Alley struct{ rdb redis.UniversalClient }

func laneKey(lane int) string { return fmt.Sprintf("alley:lane:%d", lane) }

var free = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

// Bowl takes a lane.
func (a *Alley) Bowl(lane int, game func() error) (err error) {
	own := uuid.NewString()
	_, err = a.rdb.Do("SET", laneKey(lane), own, "NX", "EX", 40).Result()
	if errors.Is(err, redis.Nil) {
		return errBowling
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free.Run(a.rdb, []string{laneKey(lane)}, own).Err()) }()
	return game()
}

func shoesKey(guest string) string { return "alley:shoes:" + guest }

// Shoes are handed out once an hour.
func (a *Alley) Shoes(guest string) bool { return a.rdb.SetNX(shoesKey(guest), true, time.Hour).Val() }
