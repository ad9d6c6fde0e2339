// Package filmlab develops films. Its tanks are used by one lab at a time.
package filmlab

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"

	"example.test/acquiring/lw02-film-lab/wait"
)

var giveBack = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Lab struct {
	pool    *redis.Pool
	develop func(ctx context.Context, tank int) error
}

func tankKey(tank int) string { return fmt.Sprintf("lab:tank:%d", tank) }

func (l *Lab) try(tank int, token string) (bool, error) {
	c := l.pool.Get()
	defer c.Close()
	reply, err := c.Do("SET", tankKey(tank), token, "NX", "PX", 30000)
	return reply != nil, err
}

func (l *Lab) free(tank int, token string) error {
	c := l.pool.Get()
	defer c.Close()
	_, err := giveBack.Do(c, tankKey(tank), token)
	return err
}

// Develop waits for good.
func (l *Lab) Develop(ctx context.Context, tank int) error {
	token := uuid.NewString()
	wait.Until(func() bool {
		ok, err := l.try(tank, token)
		return err == nil && ok // EXPECT: error-conflated(arguable)
	})
	defer l.free(tank, token)
	return l.develop(ctx, tank)
}

// Fix waits in step with all others.
func (l *Lab) Fix(ctx context.Context, tank int) error {
	token := uuid.NewString()
	if err := wait.For(ctx, 50*time.Millisecond, func(context.Context) (bool, error) { return l.try(tank, token) }); err != nil {
		return err
	}
	defer l.free(tank, token)
	return l.develop(ctx, tank)
}

// Rinse waits politely.
func (l *Lab) Rinse(ctx context.Context, tank int) error {
	token := uuid.NewString()
	err := wait.Growing(ctx, tank, func(_ context.Context, tank int) (bool, error) { return l.try(tank, token) })
	if err != nil {
		return err
	}
	defer l.free(tank, token)
	return l.develop(ctx, tank)
}

// Dry calls itself until the tank is free.
func (l *Lab) Dry(ctx context.Context, tank int) error {
	token := uuid.NewString()
	ok, err := l.try(tank, token)
	if err != nil {
		return err
	}
	if !ok {
		time.Sleep(time.Second)
		return l.dryAgain(ctx, tank)
	}
	defer l.free(tank, token)
	return l.develop(ctx, tank)
}

func (l *Lab) dryAgain(ctx context.Context, tank int) error { return l.develop(ctx, tank) }

// Wash calls itself for good.
func (l *Lab) Wash(tank int) error {
	token := uuid.NewString()
	ok, err := l.try(tank, token)
	if err != nil {
		return err
	}
	if !ok {
		time.Sleep(time.Second)
		return l.Wash(tank) // EXPECT: unbounded-wait
	}
	defer l.free(tank, token)
	return l.develop(context.Background(), tank)
}

// Bleach counts its calls: a note.
func (l *Lab) Bleach(tank, tries int) error {
	token := uuid.NewString()
	ok, err := l.try(tank, token)
	if err != nil {
		return err
	}
	if !ok {
		if tries == 0 {
			return fmt.Errorf("tank %d is in use", tank)
		}
		time.Sleep(time.Second)
		return l.Bleach(tank, tries-1) // EXPECT: polling-wait(arguable)
	}
	defer l.free(tank, token)
	return l.develop(context.Background(), tank)
}
