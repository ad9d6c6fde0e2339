// EXPECT-NONE

// Package boundselsewhere has long bounds, none of which is about what runs under its locks.
package boundselsewhere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrWell = errors.New("well is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Wells struct {
	rdb  *redis.Client
	rs   *redsync.Redsync
	http *http.Client
	draw func(ctx context.Context, well int) error
}

func New(rdb *redis.Client, draw func(context.Context, int) error) *Wells {
	return &Wells{
		rdb:  rdb,
		rs:   redsync.New(goredis.NewPool(rdb)),
		http: &http.Client{Timeout: 10 * time.Minute},
		draw: draw,
	}
}

func wellKey(well int) string { return fmt.Sprintf("well:%d:draw", well) }

func pumpKey(well int) string { return fmt.Sprintf("well:%d:pump", well) }

func coolKey(well int) string { return fmt.Sprintf("well:%d:cooldown", well) }

const lease = 30 * time.Second

// take has up to two minutes to reach Redis, and then the well for half a minute.
func (w *Wells) take(ctx context.Context, well int, own string) error {
	wait, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	ok, err := w.rdb.SetNX(wait, wellKey(well), own, lease).Result()
	if err == nil && !ok {
		err = ErrWell
	}
	return err
}

// Draw draws within two thirds of the lease, and rests afterwards.
func (w *Wells) Draw(ctx context.Context, well int) error {
	if err := w.drawn(ctx, well); err != nil {
		return fmt.Errorf("well %d: %w", well, err)
	}
	time.Sleep(time.Minute)
	return w.report(ctx, well)
}

func (w *Wells) drawn(ctx context.Context, well int) (err error) {
	own := uuid.NewString()
	if err := w.take(ctx, well, own); err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, w.rdb, []string{wellKey(well)}, own).Err())
	}()
	work, stop := context.WithTimeout(ctx, lease*2/3)
	defer stop()
	return w.draw(work, well)
}

// report uses the patient client, but holds nothing.
func (w *Wells) report(ctx context.Context, well int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://reports/wells/%d", well), nil)
	if err != nil {
		return err
	}
	res, err := w.http.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Pump has a lock of the library that lasts longer than its work.
func (w *Wells) Pump(ctx context.Context, well int) (err error) {
	m := w.rs.NewMutex(pumpKey(well), redsync.WithExpiry(50*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("pump %d: %w", well, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		ok, uerr := m.UnlockContext(end)
		if uerr == nil && !ok {
			uerr = errors.New("lock was lost")
		}
		err = errors.Join(err, uerr)
	}()
	work, stop := context.WithTimeout(ctx, 40*time.Second)
	defer stop()
	return w.draw(work, well)
}

// Rinse is slowed down to once in five seconds, however long it takes: this mark excludes nobody.
func (w *Wells) Rinse(ctx context.Context, well int) error {
	ok, err := w.rdb.SetNX(ctx, coolKey(well), 1, 5*time.Second).Result()
	if err != nil || !ok {
		return err
	}
	work, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	return w.draw(work, well)
}
