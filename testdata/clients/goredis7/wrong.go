package lanes

import (
	"fmt"
	"time"

	"github.com/go-redis/redis/v7"
	"github.com/google/uuid"
)

func pinKey(lane int) string { return fmt.Sprintf("alley:pins:%d", lane) }

func waxKey(lane int) string { return fmt.Sprintf("alley:wax:%d", lane) }

func ballKey(rack string) string { return "alley:ball:" + rack }

// Pins sets the pins.
func (a *Alley) Pins(lane int, set func() error) error {
	if !a.rdb.SetNX(pinKey(lane), uuid.NewString(), time.Minute).Val() {
		return errBowling
	}
	defer a.rdb.Unlink(pinKey(lane)) // EXPECT: ownerless-release
	return set()
}

// Wax waxes a lane.
func (a *Alley) Wax(lane int, wax func() error) error {
	if !a.rdb.SetNX(waxKey(lane), "wax", 0).Val() { // EXPECT: constant-owner, no-ttl
		return errBowling
	}
	defer free.Run(a.rdb, []string{waxKey(lane)}, "wax")
	return wax()
}

// Ball returns a ball with the arguments in the wrong order.
func (a *Alley) Ball(rack string, polish func() error) error {
	own := uuid.NewString()
	if !a.rdb.SetNX(ballKey(rack), own, time.Minute).Val() {
		return errBowling
	}
	defer a.rdb.Eval(`if redis.call("get", KEYS[1]) == ARGV[2] then return redis.call("del", KEYS[1]) end return 0`, []string{ballKey(rack)}, own) // EXPECT: broken-release
	return polish()
}

func scoreKey(lane int) string { return fmt.Sprintf("alley:score:%d", lane) }

// Score writes a score; who finds the board taken wipes the key.
func (a *Alley) Score(lane int, write func() error) error {
	own := uuid.NewString()
	_, err := a.rdb.Do("SET", scoreKey(lane), own, "NX", "EX", 20).Result()
	if err == redis.Nil {
		a.rdb.Del(scoreKey(lane)) // EXPECT: release-not-acquired // ALSO-OK: ownerless-release
		return errBowling
	}
	if err != nil {
		return err
	}
	defer free.Run(a.rdb, []string{scoreKey(lane)}, own)
	return write()
}
