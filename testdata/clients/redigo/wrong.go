package canal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"

	"example.test/clients/redigo/hold"
)

func berthKey(berth int) string { return fmt.Sprintf("canal:berth:%d", berth) }

func dredgerKey(stretch string) string { return "canal:dredge:" + stretch }

func pumpKey(pump int) string { return fmt.Sprintf("canal:pump:%d", pump) }

func weirKey(weir int) string { return fmt.Sprintf("canal:weir:%d", weir) }

// Berth gives a berth to one barge.
func (c *Canal) Berth(ctx context.Context, berth int, moor func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	_, err := redis.String(conn.Do("SET", berthKey(berth), own, "NX", "EX", 60))
	if errors.Is(err, redis.ErrNil) {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer func() { _, _ = conn.Do("DEL", berthKey(berth)) }() // EXPECT: ownerless-release
	return moor(ctx)
}

// Dredge deepens a stretch.
func (c *Canal) Dredge(ctx context.Context, stretch string, work func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	reply, err := conn.Do("SET", dredgerKey(stretch), "dredger", "NX", "PX", 45000) // EXPECT: constant-owner
	if err != nil {
		return err
	}
	if reply == nil {
		return errBusy
	}
	defer func() { _, _ = compareAndDelete.Do(conn, dredgerKey(stretch), "dredger") }()
	return work(ctx)
}

// Pump runs a pump; the time it may take is told in a second command.
func (c *Canal) Pump(ctx context.Context, pump int, work func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	args := redis.Args{}.Add(pumpKey(pump), own)
	n, err := redis.Int(conn.Do("SETNX", args...)) // EXPECT: nonatomic-ttl
	if err != nil {
		return err
	}
	if n == 0 {
		return errBusy
	}
	if _, err := conn.Do("EXPIRE", pumpKey(pump), 30); err != nil { // ALSO-OK: nonatomic-ttl
		return err
	}
	defer func() {
		now, err := redis.String(conn.Do("GET", pumpKey(pump))) // ALSO-OK: nonatomic-release
		if err == nil && now == own {
			_, _ = conn.Do("DEL", pumpKey(pump)) // EXPECT: nonatomic-release
		}
	}()
	return work(ctx)
}

// Weir sets a weir, with both commands on their way at once.
func (c *Canal) Weir(ctx context.Context, weir int, work func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	if err := conn.Send("SETNX", weirKey(weir), own); err != nil { // EXPECT: nonatomic-ttl
		return err
	}
	if err := conn.Send("EXPIRE", weirKey(weir), 20); err != nil { // ALSO-OK: nonatomic-ttl
		return err
	}
	if err := conn.Flush(); err != nil {
		return err
	}
	won, err := redis.Bool(conn.Receive())
	if err != nil || !won {
		return errors.Join(errBusy, err)
	}
	defer func() { _, _ = compareAndDelete.Do(conn, weirKey(weir), own) }()
	return work(ctx)
}

// A Tug pulls one barge at a time.
type Tug struct {
	pool *redis.Pool
	own  string
	name string
}

func NewTug(pool *redis.Pool, name string) *Tug {
	return &Tug{pool: pool, own: uuid.NewString(), name: name}
}

func (t *Tug) key() string { return "canal:tug:" + t.name }

// Hitch reports whether the tug is ours.
func (t *Tug) Hitch() (bool, error) {
	conn := t.pool.Get()
	defer conn.Close()
	return redis.Bool(conn.Do("SETNX", t.key(), t.own)) // EXPECT: no-ttl
}

// Stay keeps it for longer.
func (t *Tug) Stay() error {
	conn := t.pool.Get()
	defer conn.Close()
	_, err := conn.Do("EXPIRE", t.key(), 60) // EXPECT: ownerless-extend
	return err
}

// Unhitch gives it back.
func (t *Tug) Unhitch() error {
	conn := t.pool.Get()
	defer conn.Close()
	_, err := compareAndDelete.Do(conn, t.key(), t.own)
	return err
}

var noKey = redis.NewScript(0, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func lightKey(light int) string { return fmt.Sprintf("canal:light:%d", light) }

// Light changes a light.
func (c *Canal) Light(ctx context.Context, light int, turn func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	_, err := redis.String(redis.DoWithTimeout(conn, time.Second, "SET", lightKey(light), own, "NX", "EX", 10))
	if err != nil {
		return err
	}
	defer func() { _, _ = noKey.Do(conn, lightKey(light), own) }() // EXPECT: broken-release
	return turn(ctx)
}

func ferryKey(ferry int) string { return fmt.Sprintf("canal:ferry:%d", ferry) }

// Ferry gives the landing back although another ferry has it.
func (c *Canal) Ferry(ctx context.Context, ferry int, cross func(context.Context) error) error {
	own := uuid.NewString()
	reply, err := hold.Command(c.pool, "SET", ferryKey(ferry), own, "NX", "EX", 30)
	if err != nil {
		return err
	}
	defer hold.Command(c.pool, "DEL", ferryKey(ferry)) // EXPECT: ownerless-release, release-not-acquired
	if reply == nil {
		return errBusy
	}
	return cross(ctx)
}

func towKey(tow int) string { return fmt.Sprintf("canal:tow:%d", tow) }

// Tow gives the rope back whoever has it.
func (c *Canal) Tow(ctx context.Context, tow int, pull func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	_, err := redis.String(conn.Do("SET", towKey(tow), uuid.NewString(), "NX", "EX", 30))
	defer conn.Do("DEL", towKey(tow)) // EXPECT: ownerless-release, release-not-acquired
	if err == redis.ErrNil {
		return errBusy
	}
	if err != nil {
		return err
	}
	return pull(ctx)
}

func raftKey(raft int) string { return fmt.Sprintf("canal:raft:%d", raft) }

// Raft lets a raft through.
func (c *Canal) Raft(ctx context.Context, raft int, steer func(context.Context) error) error {
	own, ttl := uuid.NewString(), 30*time.Second
	reply, err := hold.Command(c.pool, "SET", raftKey(raft), own, "NX", "EX", ttl.Milliseconds()) // EXPECT: ttl-unit
	if err != nil {
		return err
	}
	if reply == nil {
		return errBusy
	}
	defer hold.Command(c.pool, "DEL", raftKey(raft)) // EXPECT: ownerless-release
	return steer(ctx)
}

func poleKey(pole int) string { return fmt.Sprintf("canal:pole:%d", pole) }

// Pole sets a pole; who finds it set pulls it out.
func (c *Canal) Pole(ctx context.Context, pole int, set func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	n, err := redis.Int64(conn.Do("EVAL", `if redis.call("SET", KEYS[1], ARGV[1], "NX", "EX", 20) then return 1 end return 0`, 1, poleKey(pole), own))
	if err != nil {
		return err
	}
	if n != 1 {
		_, _ = conn.Do("UNLINK", poleKey(pole)) // EXPECT: release-not-acquired // ALSO-OK: ownerless-release
		return errBusy
	}
	defer func() { _, _ = compareAndDelete.Do(conn, poleKey(pole), own) }()
	return set(ctx)
}

func boomKey(boom int) string { return fmt.Sprintf("canal:boom:%d", boom) }

// tried says in words how an attempt ended.
func (c *Canal) tried(key, own string) string {
	reply, err := hold.Command(c.pool, "SET", key, own, "NX", "EX", 15)
	switch {
	case err != nil:
		return "failed"
	case reply == nil:
		return "taken"
	}
	return "ours"
}

// Boom lowers a boom. Only the winner deletes, but it may be somebody else's by then.
func (c *Canal) Boom(ctx context.Context, boom int, lower func(context.Context) error) error {
	if c.tried(boomKey(boom), uuid.NewString()) != "ours" {
		return errBusy
	}
	defer func() { _, _ = hold.Command(c.pool, "DEL", boomKey(boom)) }() // EXPECT: ownerless-release
	return lower(ctx)
}
