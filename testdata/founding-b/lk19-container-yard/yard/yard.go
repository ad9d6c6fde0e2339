// Package yard stacks containers.
package yard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrBusy says that a container or slot is being moved.
var ErrBusy = errors.New("container or slot is being moved")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Stack does the work.
type Stack interface {
	Put(ctx context.Context, container int64) error
	Weigh(ctx context.Context, container int64) error
	Reserve(ctx context.Context, slot int64) error
	Free(ctx context.Context, slot int64) error
}

type Yard struct {
	Client redis.UniversalClient
	Stack  Stack
}

// containerKey is held while a container is moved.
func containerKey(container int64) string {
	return "yard:container:" + strconv.FormatInt(container, 10) // ALSO-OK: mismatched-prefix
}

// SlotKey is held while a slot gets another use.
func SlotKey(slot int64) string { return fmt.Sprintf("stacking/slot/%d", slot) } // ALSO-OK: mismatched-prefix

func (y *Yard) Hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := y.Client.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, y.Client, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return fn(work)
}

// Put stacks a container.
func (y *Yard) Put(ctx context.Context, container int64) error {
	return y.Hold(ctx, containerKey(container), func(ctx context.Context) error { return y.Stack.Put(ctx, container) })
}

// Weigh weighs a container.
func (y *Yard) Weigh(ctx context.Context, container int64) error {
	return y.Hold(ctx, containerKey(container), func(ctx context.Context) error { return y.Stack.Weigh(ctx, container) })
}

// Reserve reserves a slot.
func (y *Yard) Reserve(ctx context.Context, slot int64) error {
	return y.Hold(ctx, SlotKey(slot), func(ctx context.Context) error { return y.Stack.Reserve(ctx, slot) })
}

// Free frees a slot.
func (y *Yard) Free(ctx context.Context, slot int64) error {
	return y.Hold(ctx, SlotKey(slot), func(ctx context.Context) error { return y.Stack.Free(ctx, slot) })
}
