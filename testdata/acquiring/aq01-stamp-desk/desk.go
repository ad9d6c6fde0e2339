// Package stampdesk stamps applications at a counter, one counter at a time.
package stampdesk

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("counter is busy")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Press interface {
	Stamp(ctx context.Context, counter int64) error
	Tear(ctx context.Context, counter int64) error
}

type Desk struct {
	rdb    *redis.Client
	stamps Press
}

func counterKey(counter int64) string { return fmt.Sprintf("desk:counter:%d", counter) }

func (d *Desk) free(ctx context.Context, counter int64, token string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if err := giveBack.Run(end, d.rdb, []string{counterKey(counter)}, token).Err(); err != nil {
		slog.Warn("stays locked", "counter", counter, "err", err)
	}
}

// Apply does not look at anything.
func (d *Desk) Apply(ctx context.Context, counter int64) error {
	token := uuid.NewString()
	d.rdb.SetNX(ctx, counterKey(counter), token, 30*time.Second) // EXPECT: acquire-ignored
	defer d.free(ctx, counter, token)
	return d.stamps.Stamp(ctx, counter)
}

// ApplyIfUp looks at the error only.
func (d *Desk) ApplyIfUp(ctx context.Context, counter int64) error {
	token := uuid.NewString()
	if err := d.rdb.SetNX(ctx, counterKey(counter), token, 30*time.Second).Err(); err != nil { // EXPECT: acquire-ignored
		return fmt.Errorf("counter %d: %w", counter, err)
	}
	defer d.free(ctx, counter, token)
	return d.stamps.Stamp(ctx, counter)
}

// ApplyLogged says that the counter is busy, and goes on.
func (d *Desk) ApplyLogged(ctx context.Context, counter int64) error {
	token := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, counterKey(counter), token, 30*time.Second).Result() // EXPECT: acquire-ignored
	if err != nil {
		return err
	}
	if !ok {
		log.Printf("counter %d is busy", counter)
	}
	defer d.free(ctx, counter, token)
	return d.stamps.Stamp(ctx, counter)
}

// VoidNamed has named results and a switch, and forgets the way out of one case.
func (d *Desk) VoidNamed(ctx context.Context, counter int64) (err error) {
	token := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, counterKey(counter), token, 30*time.Second).Result() // EXPECT: acquire-ignored
	switch {
	case err != nil:
		return err
	case !ok:
		slog.InfoContext(ctx, "busy", "counter", counter, "err", ErrBusy)
	}
	defer func() { d.free(ctx, counter, token) }()
	err = d.stamps.Tear(ctx, counter)
	return err
}

// Void is right.
func (d *Desk) Void(ctx context.Context, counter int64) error {
	token := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, counterKey(counter), token, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("counter %d: %w", counter, err)
	}
	if !ok {
		return ErrBusy
	}
	defer d.free(ctx, counter, token)
	return d.stamps.Tear(ctx, counter)
}

// VoidNested is right: the work stands inside.
func (d *Desk) VoidNested(ctx context.Context, counter int64) (done bool, err error) {
	token := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, counterKey(counter), token, 30*time.Second).Result()
	if err == nil && ok {
		defer d.free(ctx, counter, token)
		done, err = true, d.stamps.Tear(ctx, counter)
	}
	return done, err
}

// VoidOrDie is right: the process ends.
func (d *Desk) VoidOrDie(ctx context.Context, counter int64) error {
	token := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, counterKey(counter), token, 30*time.Second).Result()
	if err != nil {
		log.Fatalf("counter %d: %v", counter, err)
	}
	if !ok {
		panic("counter is busy")
	}
	defer d.free(ctx, counter, token)
	return d.stamps.Tear(ctx, counter)
}

// VoidMany is right: what is busy is left for the next run, and the rest is reported after all.
func (d *Desk) VoidMany(ctx context.Context, counters []int64) error {
	var all []error
	for _, c := range counters {
		token := uuid.NewString()
		ok, err := d.rdb.SetNX(ctx, counterKey(c), token, 30*time.Second).Result()
		if err != nil {
			all = append(all, err)
			continue
		}
		if !ok {
			continue
		}
		if err := d.stamps.Tear(ctx, c); err != nil {
			all = append(all, err)
		}
		d.free(ctx, c, token)
	}
	return errors.Join(all...)
}
