// EXPECT-NONE

// Package canal runs the chambers of a canal.
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

var errBusy = errors.New("chamber in use")

// Chambers moves water.
type Chambers interface {
	Fill(ctx context.Context, chamber int) error
	Drain(ctx context.Context, chamber int) error
}

type Canal struct {
	pool     *redis.Pool
	chambers Chambers
}

func chamberKey(chamber int) string { return fmt.Sprintf("canal:chamber:%d", chamber) }

func gateKey(gate int) string { return fmt.Sprintf("canal:gate:%d", gate) }

func sluiceKey(sluice int) string { return fmt.Sprintf("canal:sluice:%d", sluice) }

var compareAndDelete = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) else return 0 end`)

// Fill fills a chamber while nobody else does anything to it.
func (c *Canal) Fill(ctx context.Context, chamber int) (err error) {
	conn := c.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	reply, err := conn.Do("SET", chamberKey(chamber), own, "NX", "EX", 40)
	if err != nil {
		return err
	}
	if reply == nil {
		return errBusy
	}
	defer func() {
		_, rerr := compareAndDelete.Do(conn, chamberKey(chamber), own)
		err = errors.Join(err, rerr)
	}()
	return c.chambers.Fill(ctx, chamber)
}

// Drain drains a chamber through the helper of another package.
func (c *Canal) Drain(ctx context.Context, chamber int) (err error) {
	h, err := hold.Take(ctx, c.pool, chamberKey(chamber), time.Minute)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.LetGo()) }()
	return c.chambers.Drain(ctx, chamber)
}

// Gate moves a gate; the key is given back in a transaction that fails if it has changed hands.
func (c *Canal) Gate(ctx context.Context, gate int, move func(context.Context, int) error) (err error) {
	conn := c.pool.Get()
	defer conn.Close()
	own := uuid.NewString()
	won, err := redis.Int(conn.Do("EVAL", `return redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) and 1 or 0`, 1, gateKey(gate), own, 30000))
	if err != nil {
		return err
	}
	if won != 1 {
		return errBusy
	}
	defer func() { err = errors.Join(err, c.leave(conn, gate, own)) }()
	return move(ctx, gate)
}

func (c *Canal) leave(conn redis.Conn, gate int, own string) error {
	if _, err := conn.Do("WATCH", gateKey(gate)); err != nil {
		return err
	}
	now, err := redis.String(conn.Do("GET", gateKey(gate)))
	if err != nil {
		return err
	}
	if now != own {
		_, err := conn.Do("UNWATCH")
		return err
	}
	if err := conn.Send("MULTI"); err != nil {
		return err
	}
	if err := conn.Send("DEL", gateKey(gate)); err != nil {
		return err
	}
	_, err = conn.Do("EXEC")
	return err
}

// Sluice opens a sluice, by a command that only callers know.
func (c *Canal) Sluice(ctx context.Context, sluice int, open func(context.Context) error) error {
	own := uuid.NewString()
	ok, err := redis.String(hold.Command(c.pool, "SET", sluiceKey(sluice), own, "NX", "PX", (20 * time.Second).Milliseconds()))
	if err == redis.ErrNil || err == nil && ok != "OK" {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer func() { _, _ = compareAndDelete.Do(c.pool.Get(), sluiceKey(sluice), own) }()
	return open(ctx)
}
