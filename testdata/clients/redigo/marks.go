// EXPECT-NONE

package canal

import (
	"context"
	"fmt"

	"github.com/gomodule/redigo/redis"
)

func hornKey(barge string) string { return "canal:horn:" + barge }

func levelKey(stretch string) string { return "canal:level:" + stretch }

func paidKey(receipt string) string { return "canal:paid:" + receipt }

// Horn allows one blast a minute; the mark is left to expire.
func (c *Canal) Horn(ctx context.Context, barge string, blow func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	_, err := redis.String(conn.Do("SET", hornKey(barge), 1, "NX", "EX", 60))
	if err == redis.ErrNil {
		return nil
	}
	if err != nil {
		return err
	}
	return blow(ctx)
}

// Level is the water level, read at most every ten seconds.
func (c *Canal) Level(ctx context.Context, stretch string, measure func(context.Context) (int, error)) (int, error) {
	conn := c.pool.Get()
	defer conn.Close()
	cm, err := redis.Int(conn.Do("GET", levelKey(stretch)))
	if err != redis.ErrNil {
		return cm, err
	}
	if cm, err = measure(ctx); err != nil {
		return 0, err
	}
	_, err = conn.Do("SETEX", levelKey(stretch), 10, cm)
	return cm, err
}

// Forget drops the level.
func (c *Canal) Forget(stretch string) error {
	conn := c.pool.Get()
	defer conn.Close()
	_, err := conn.Do("DEL", levelKey(stretch))
	return err
}

// Paid takes a toll once; what failed may be tried again.
func (c *Canal) Paid(ctx context.Context, receipt string, book func(context.Context) error) error {
	conn := c.pool.Get()
	defer conn.Close()
	n, err := redis.Int(conn.Do("SETNX", paidKey(receipt), "booking"))
	if err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	if err := book(ctx); err != nil {
		_, _ = conn.Do("DEL", paidKey(receipt))
		return fmt.Errorf("toll %s: %w", receipt, err)
	}
	_, err = conn.Do("SET", paidKey(receipt), "booked")
	return err
}
