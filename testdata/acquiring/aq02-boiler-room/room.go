// Package boilerroom services boilers.
package boilerroom

import (
	"context"
	"errors"
	"log/slog"

	"github.com/go-redis/redis/v8"

	"example.test/acquiring/aq02-boiler-room/boiler"
)

var ErrHot = errors.New("boiler is in use")

type Room struct {
	rdb     redis.UniversalClient
	service func(ctx context.Context, name string) error
}

// Service believes the helper, which says nothing.
func (r *Room) Service(ctx context.Context, name string) error {
	v := boiler.New(r.rdb, name)
	if err := v.Close(ctx); err != nil {
		return err
	}
	defer v.Open(ctx)
	return r.service(ctx, name)
}

// Refill drops what the helper says.
func (r *Room) Refill(ctx context.Context, name string) error {
	v := boiler.New(r.rdb, name)
	if _, err := v.TryClose(ctx); err != nil { // EXPECT: acquire-ignored
		return err
	}
	defer v.Open(ctx)
	return r.service(ctx, name)
}

// Drain logs what the helper says.
func (r *Room) Drain(ctx context.Context, name string) {
	v := boiler.New(r.rdb, name)
	free, err := v.TryClose(ctx) // EXPECT: acquire-ignored
	slog.Info("drain", "name", name, "free", free, "err", err)
	defer v.Open(ctx)
	if err := r.service(ctx, name); err != nil {
		slog.Error("drain", "name", name, "err", err)
	}
}

// Vent is right.
func (r *Room) Vent(ctx context.Context, name string) error {
	v := boiler.New(r.rdb, name)
	free, err := v.TryClose(ctx)
	switch {
	case err != nil:
		return err
	case free:
		defer v.Open(ctx)
		return r.service(ctx, name)
	default:
		return ErrHot
	}
}

// Flush is right: it asks the lock.
func (r *Room) Flush(ctx context.Context, name string) error {
	v := boiler.New(r.rdb, name)
	if err := v.Shut(ctx); err != nil {
		return err
	}
	if !v.IsShut() {
		return ErrHot
	}
	defer v.Open(ctx)
	return r.service(ctx, name)
}
