// EXPECT-NONE

// Package handed renews a lease until the caller closes the channel that it got.
package handed

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("taken")

var free = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
var longer = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`)

func boatKey(id string) string { return "boat:" + id }

// Boats are rented out.
type Boats struct{ rdb *redis.Client }

// beat renews until its first result is closed, and closes the second when the lease is lost.
func (b *Boats) beat(key, owner string) (stop, lost chan struct{}) {
	stop, lost = make(chan struct{}), make(chan struct{})
	go func() {
		t := time.NewTicker(10 * time.Second)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
				if n, err := longer.Run(context.Background(), b.rdb, []string{key}, owner, 60000).Int(); err == nil && n == 0 {
					close(lost)
					t.Reset(time.Hour)
				}
			}
		}
	}()
	return stop, lost
}

// Rent runs a rental under the lock of a boat.
func (b *Boats) Rent(ctx context.Context, id, owner string, rent func(ctx context.Context, lost <-chan struct{}) error) error {
	ok, err := b.rdb.SetNX(ctx, boatKey(id), owner, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errTaken
	}
	stop, lost := b.beat(boatKey(id), owner)
	err = rent(ctx, lost)
	close(stop)
	return errors.Join(err, free.Run(context.WithoutCancel(ctx), b.rdb, []string{boatKey(id)}, owner).Err())
}
