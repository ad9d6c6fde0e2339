// Package user locks with clients that it never names: it imports no client library.
package user

import (
	"context"
	"errors"
	"strconv"
	"time"

	"example.test/engine/farclient/store"
)

var errBusy = errors.New("busy")

func key(kind string, id int64) string { return kind + ":" + strconv.FormatInt(id, 10) }

// Variable has the client from a variable.
func Variable(ctx context.Context, id int64, work func() error) error {
	ok, err := store.DB.SetNX(ctx, key("bay", id), 1, 20*time.Second).Result() // ALSO-OK: constant-owner
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer store.DB.Del(context.WithoutCancel(ctx), key("bay", id)) // EXPECT: ownerless-release
	return work()
}

// Function has it from a function.
func Function(ctx context.Context, id int64, work func() error) error {
	ok, err := store.Conn().SetNX(ctx, key("ramp", id), 1, 20*time.Second).Result() // ALSO-OK: constant-owner
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer store.Conn().Del(context.WithoutCancel(ctx), key("ramp", id)) // EXPECT: ownerless-release
	return work()
}

// Field has it from a field.
func Field(ctx context.Context, d store.Deps, id int64, work func() error) error {
	ok, err := d.Cache.SetNX(ctx, key("gate", id), 1, 20*time.Second).Result() // ALSO-OK: constant-owner
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer d.Cache.Del(context.WithoutCancel(ctx), key("gate", id)) // EXPECT: ownerless-release
	return work()
}

// Embedded has it from a type that embeds one.
func Embedded(ctx context.Context, id int64, work func() error) error {
	p := store.Named("locks")
	ok, err := p.SetNX(ctx, key("dock", id), 1, 20*time.Second).Result() // ALSO-OK: constant-owner
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer p.Del(context.WithoutCancel(ctx), key("dock", id)) // EXPECT: ownerless-release
	return work()
}
