package lockrt_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/fence"
)

var orderLock = lockrt.MustPrefix("lock:order")

func settle(ctx context.Context, id string) error { return ctx.Err() }

// A request that a user waits for: it must be told that the order is being settled by somebody else.
func ExampleLocker_Do() {
	rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	locker, err := lockrt.New(rdb)
	if err != nil {
		return
	}
	_, err = locker.Do(context.Background(), orderLock.Of("42"), func(ctx context.Context) error {
		return settle(ctx, "42") // ctx ends when the lease is lost
	}, lockrt.Wait(2*time.Second))
	switch {
	case errors.Is(err, lockrt.ErrNotAcquired):
		fmt.Println("being settled elsewhere: answer 409")
	case errors.Is(err, lockrt.ErrUnavailable):
		fmt.Println("nobody knows: answer 503")
	case errors.Is(err, lockrt.ErrLeaseLost):
		fmt.Println("it ran, but somebody else may have run too")
	case err != nil:
		fmt.Println("settle failed:", err)
	}
}

// A job that runs on every replica, and is wanted once.
func ExampleOnContention() {
	var locker *lockrt.Locker // from New
	job := func(ctx context.Context) error {
		out, err := locker.Do(ctx, orderLock.Of("cleanup"), func(ctx context.Context) error {
			return settle(ctx, "all")
		}, lockrt.OnContention(lockrt.Skip))
		if out.Mode == lockrt.Skipped {
			fmt.Println("another replica does it")
		}
		return err
	}
	_ = job
}

// A write that must not be undone by an owner who was stopped: the store compares the fence.
func ExampleFromContext() {
	var rdb *redis.Client
	write := func(ctx context.Context, balance string) error {
		lease, ok := lockrt.FromContext(ctx)
		if !ok {
			return errors.New("not under the lock")
		}
		return fence.Set(ctx, rdb, "account:42:balance", balance, 0, lease.Fence())
	}
	_ = write
}
