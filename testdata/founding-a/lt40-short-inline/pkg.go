// Package shortinline develops the films of a photographer.
package shortinline

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrFilm = errors.New("film is being developed")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Lab struct {
	rdb     *redis.Client
	develop func(ctx context.Context, film int64) error
	dry     <-chan struct{}
}

func filmKey(film int64) string { return fmt.Sprintf("lab:film:%d:develop", film) }

func rinseKey(film int64) string { return fmt.Sprintf("lab:film:%d:rinse", film) }

func dryKey(film int64) string { return fmt.Sprintf("lab:film:%d:dry", film) }

func scanKey(film int64) string { return fmt.Sprintf("lab:film:%d:scan", film) }

func (l *Lab) free(ctx context.Context, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return release.Run(end, l.rdb, []string{key}, own).Err()
}

// Develop may take two minutes, and its lock ten seconds.
func (l *Lab) Develop(ctx context.Context, film int64) (err error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, filmKey(film), own, 10*time.Second).Result() // EXPECT: short-ttl
	if err != nil {
		return fmt.Errorf("film %d: %w", film, err)
	}
	if !ok {
		return ErrFilm
	}
	defer func() { err = errors.Join(err, l.free(ctx, filmKey(film), own)) }()
	work, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	return l.develop(work, film)
}

// Rinse waits for half a minute in the middle of its section.
func (l *Lab) Rinse(ctx context.Context, film int64) (err error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, rinseKey(film), own, 20*time.Second).Result() // EXPECT: short-ttl
	if err != nil {
		return fmt.Errorf("film %d: %w", film, err)
	}
	if !ok {
		return ErrFilm
	}
	defer func() { err = errors.Join(err, l.free(ctx, rinseKey(film), own)) }()
	if err := l.develop(ctx, film); err != nil {
		return err
	}
	time.Sleep(30 * time.Second)
	return l.develop(ctx, film)
}

// Dry waits for the dryer, for up to 50 seconds.
func (l *Lab) Dry(ctx context.Context, film int64) (err error) {
	own := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, dryKey(film), own, 15*time.Second).Result() // EXPECT: short-ttl
	if err != nil {
		return fmt.Errorf("film %d: %w", film, err)
	}
	if !ok {
		return ErrFilm
	}
	defer func() { err = errors.Join(err, l.free(ctx, dryKey(film), own)) }()
	select {
	case <-l.dry:
		return l.develop(ctx, film)
	case <-time.After(50 * time.Second):
		return errors.New("dryer is broken")
	}
}

// Scan runs a program that is given five minutes.
func (l *Lab) Scan(ctx context.Context, film int64) (err error) {
	own := uuid.NewString()
	args := redis.SetArgs{Mode: "NX", TTL: 25 * time.Second}
	err = l.rdb.SetArgs(ctx, scanKey(film), own, args).Err() // EXPECT: short-ttl
	switch {
	case errors.Is(err, redis.Nil):
		return ErrFilm
	case err != nil:
		return fmt.Errorf("film %d: %w", film, err)
	}
	defer func() { err = errors.Join(err, l.free(ctx, scanKey(film), own)) }()
	work, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	return exec.CommandContext(work, "scan-film", fmt.Sprint(film)).Run()
}
