// Package cellarsensors reads sensors. What is skipped is read the next time, or is it?
package cellarsensors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrRead = errors.New("sensor is being read")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Reading struct{ Value float64 }

type Cellar struct {
	rdb   *redis.Client
	locks *redislock.Client
	read  func(ctx context.Context, sensor int64) (*Reading, error)
	save  func(ctx context.Context, r *Reading) error
}

func sensorKey(sensor int64) string { return fmt.Sprintf("cellar:sensor:%d", sensor) }

func (c *Cellar) free(ctx context.Context, sensor int64, token string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	giveBack.Run(end, c.rdb, []string{sensorKey(sensor)}, token)
}

// Calibrate answers a request with nil though it did nothing.
func (c *Cellar) Calibrate(ctx context.Context, sensor int64, r *Reading) error {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return nil // EXPECT: skipped-as-success
	}
	defer c.free(ctx, sensor, token)
	if err := c.save(ctx, r); err != nil {
		return err
	}
	return nil
}

// Reset does it with a handle.
func (c *Cellar) Reset(ctx context.Context, sensor int64) error {
	lock, err := c.locks.Obtain(ctx, sensorKey(sensor), 20*time.Second, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil // EXPECT: skipped-as-success
	}
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	if err := c.save(ctx, &Reading{}); err != nil {
		return fmt.Errorf("sensor %d: %w", sensor, err)
	}
	return nil
}

// ResetNamed does it with a named result.
func (c *Cellar) ResetNamed(ctx context.Context, sensor int64) (err error) {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	switch {
	case err != nil:
		return err
	case !ok:
		return // EXPECT: skipped-as-success
	}
	defer c.free(ctx, sensor, token)
	if err = c.save(ctx, &Reading{}); err != nil {
		return err
	}
	return nil
}

// Zero does it in a helper that runs its work.
func (c *Cellar) Zero(ctx context.Context, sensor int64) error {
	return c.alone(ctx, sensor, func(ctx context.Context) error { return c.save(ctx, &Reading{}) })
}

func (c *Cellar) alone(ctx context.Context, sensor int64, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return nil // EXPECT: skipped-as-success
	}
	defer c.free(ctx, sensor, token)
	if err := work(ctx); err != nil {
		return err
	}
	return nil
}

// Tune returns a value too.
func (c *Cellar) Tune(ctx context.Context, sensor int64) (int, error) {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, nil // EXPECT: skipped-as-success
	}
	defer c.free(ctx, sensor, token)
	if err := c.save(ctx, &Reading{}); err != nil {
		return 0, err
	}
	return 0, nil
}

// TuneAll has a mutex of its own kind in a closure.
func (c *Cellar) TuneAll(ctx context.Context, sensors []int64) error {
	one := func(sensor int64) error {
		token := uuid.NewString()
		ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
		if err != nil {
			return err
		}
		if !ok {
			return nil // EXPECT: skipped-as-success
		}
		defer c.free(ctx, sensor, token)
		if err := c.save(ctx, &Reading{}); err != nil {
			return err
		}
		return nil
	}
	for _, s := range sensors {
		if err := one(s); err != nil {
			return err
		}
	}
	return nil
}

// Read is right.
func (c *Cellar) Read(ctx context.Context, sensor int64) (*Reading, error) {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrRead
	}
	defer c.free(ctx, sensor, token)
	return c.read(ctx, sensor)
}

// ReadIfFree says whether it read.
func (c *Cellar) ReadIfFree(ctx context.Context, sensor int64) (bool, error) {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, nil
	}
	defer c.free(ctx, sensor, token)
	if _, err := c.read(ctx, sensor); err != nil {
		return false, err
	}
	return true, nil
}

// ReadAll is a batch: the next round comes.
func (c *Cellar) ReadAll(ctx context.Context, sensors []int64) error {
	for _, s := range sensors {
		token := uuid.NewString()
		ok, err := c.rdb.SetNX(ctx, sensorKey(s), token, 20*time.Second).Result()
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		_, err = c.read(ctx, s)
		c.free(ctx, s, token)
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadHandle hands the library's error on.
func (c *Cellar) ReadHandle(ctx context.Context, sensor int64) error {
	lock, err := c.locks.Obtain(ctx, sensorKey(sensor), 20*time.Second, nil)
	if err != nil {
		return fmt.Errorf("sensor %d: %w", sensor, err)
	}
	defer lock.Release(context.WithoutCancel(ctx))
	_, err = c.read(ctx, sensor)
	return err
}

// ReadOrNothing returns nothing, which its callers see.
func (c *Cellar) ReadOrNothing(ctx context.Context, sensor int64) (*Reading, error) {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, nil
	}
	defer c.free(ctx, sensor, token)
	return c.read(ctx, sensor)
}

// Forget returns nothing at all.
func (c *Cellar) Forget(ctx context.Context, sensor int64) {
	token := uuid.NewString()
	ok, err := c.rdb.SetNX(ctx, sensorKey(sensor), token, 20*time.Second).Result()
	if err != nil {
		panic(err)
	}
	if !ok {
		return
	}
	defer c.free(ctx, sensor, token)
	if err := c.save(ctx, &Reading{}); err != nil {
		panic(err)
	}
}
