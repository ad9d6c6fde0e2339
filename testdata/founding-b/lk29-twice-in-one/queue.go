// Package twiceinone moves the head of queues; one helper builds the name of the lock twice.
package twiceinone

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("queue is being moved")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Queues does the work.
type Queues interface {
	Shift(ctx context.Context, queue int64) error
	Drain(ctx context.Context, queue int64) error
}

type Mover struct {
	rdb    redis.UniversalClient
	queues Queues
}

// alone holds a queue; the name is spelled for the acquire and for the release.
func (m *Mover) alone(ctx context.Context, queue int64, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := m.rdb.SetNX(ctx, "queue-head:"+strconv.FormatInt(queue, 10), owner, 15*time.Second).Result() // ALSO-OK: key-from-strings
	if err != nil {
		return fmt.Errorf("queue %d: %w", queue, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		name := "queue-head:" + strconv.FormatInt(queue, 10) // ALSO-OK: duplicate-prefix, key-from-strings
		err = errors.Join(err, release.Run(end, m.rdb, []string{name}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return fn(work)
}

// Shift moves one.
func (m *Mover) Shift(ctx context.Context, queue int64) error {
	return m.alone(ctx, queue, func(ctx context.Context) error { return m.queues.Shift(ctx, queue) })
}

// Drain moves all.
func (m *Mover) Drain(ctx context.Context, queue int64) error {
	return m.alone(ctx, queue, func(ctx context.Context) error { return m.queues.Drain(ctx, queue) })
}
