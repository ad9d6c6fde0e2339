// Package mill grinds, with redigo by the path that it had at first.
package mill

import (
	"errors"
	"time"

	"github.com/garyburd/redigo/redis"
	"github.com/google/uuid"
)

var errGrinding = errors.New("stone is grinding")

type Mill struct{ pool *redis.Pool }

func stoneKey(stone string) string { return "mill:stone:" + stone }

func sackKey(sack string) string { return "mill:sack:" + sack }

func wheelKey(wheel string) string { return "mill:wheel:" + wheel }

var compareAndDelete = redis.NewScript(-1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Stone grinds.
func (m *Mill) Stone(stone string, grind func() error) (err error) {
	conn := m.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	_, err = redis.String(conn.Do("SET", stoneKey(stone), own, "NX", "PX", int64(40*time.Second/time.Millisecond)))
	if err == redis.ErrNil {
		return errGrinding
	}
	if err != nil {
		return err
	}
	defer compareAndDelete.Do(conn, 1, stoneKey(stone), own)
	return grind()
}

// Sack fills a sack.
func (m *Mill) Sack(sack string, fill func() error) error {
	conn := m.pool.Get()
	defer conn.Close()
	ok, err := redis.Bool(conn.Do("SETNX", sackKey(sack), time.Now().UnixNano())) // EXPECT: no-ttl, constant-owner(arguable)
	if err != nil || !ok {
		return errors.Join(errGrinding, err)
	}
	defer conn.Do("DEL", sackKey(sack)) // EXPECT: ownerless-release
	return fill()
}

// Wheel turns by a name that everybody has.
func (m *Mill) Wheel(wheel string, turn func() error) error {
	conn := m.pool.Get()
	defer conn.Close()
	reply, err := conn.Do("SET", wheelKey(wheel), "miller", "NX", "EX", 30) // EXPECT: constant-owner
	if err != nil {
		return err
	}
	if reply == nil {
		return errGrinding
	}
	defer compareAndDelete.Do(conn, 1, wheelKey(wheel), "miller")
	return turn()
}
