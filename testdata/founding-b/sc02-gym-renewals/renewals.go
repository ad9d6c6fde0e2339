// Package gymrenewals prolongs the passes of a gym.
package gymrenewals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

// Passes is what the front desk and the monthly job use.
type Passes interface {
	Renew(ctx context.Context, pass int64) error
	RenewMonth(ctx context.Context, month time.Month) error
}

// Files stores passes.
type Files interface {
	Due(ctx context.Context, month time.Month) ([]int64, error)
	ValidUntil(ctx context.Context, pass int64) (time.Time, error)
	Prolong(ctx context.Context, pass int64, until time.Time) error
}

type desk struct{ files Files }

func (d *desk) Renew(ctx context.Context, pass int64) error {
	until, err := d.files.ValidUntil(ctx, pass)
	if err != nil {
		return err
	}
	return d.files.Prolong(ctx, pass, until.AddDate(0, 1, 0))
}

func (d *desk) RenewMonth(ctx context.Context, month time.Month) error {
	due, err := d.files.Due(ctx, month)
	if err != nil {
		return err
	}
	return forEach(ctx, due, d.Renew) // EXPECT: self-call
}

func forEach(ctx context.Context, ids []int64, do func(context.Context, int64) error) error {
	var all error
	for _, id := range ids {
		all = errors.Join(all, do(ctx, id)) // ALSO-OK: self-call
	}
	return all
}

var errBusy = errors.New("pass is being renewed")

var free = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// turnstile renews each pass in one place at a time.
type turnstile struct {
	inner Passes
	cli   redis.UniversalClient
}

// New returns the passes with their lock in front.
func New(files Files, cli redis.UniversalClient) Passes {
	return &turnstile{inner: &desk{files}, cli: cli}
}

func passKey(pass int64) string { return fmt.Sprintf("gympass:%d:renew", pass) }

func (t *turnstile) Renew(ctx context.Context, pass int64) (err error) {
	key, owner := passKey(pass), uuid.NewString()
	ok, err := t.cli.SetNX(ctx, key, owner, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return errBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, free.Run(end, t.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return t.inner.Renew(work, pass)
}

func (t *turnstile) RenewMonth(ctx context.Context, month time.Month) error {
	return t.inner.RenewMonth(ctx, month) // ALSO-OK: self-call
}
