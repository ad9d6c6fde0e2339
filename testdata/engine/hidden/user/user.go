// Package user works under locks whose implementation it cannot name.
package user

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/engine/hidden/locks"
)

var errBusy = errors.New("busy")

func sweepKey() string { return "hidden:sweep" }

// Sweep uses the constructor that can be inlined.
func Sweep(ctx context.Context, rdb *redis.Client, work func(context.Context) error) error {
	l := locks.New(rdb)
	ok, err := l.Take(ctx, sweepKey(), 6*time.Hour) // EXPECT: long-ttl
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer l.Give(context.WithoutCancel(ctx), sweepKey())
	return work(ctx)
}

func mopKey() string { return "hidden:mop" }

// Mop uses the other one.
func Mop(ctx context.Context, addr string, work func(context.Context) error) error {
	l, err := locks.Open(ctx, addr)
	if err != nil {
		return err
	}
	ok, err := l.Take(ctx, mopKey(), 7*time.Hour) // EXPECT: long-ttl
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer l.Give(context.WithoutCancel(ctx), mopKey())
	return work(ctx)
}
