// Package twocommands lets trains into the tracks of a depot.
package twocommands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrTrack = errors.New("track is in use")

const (
	ttl     = 30 * time.Second
	release = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
)

type Depot struct {
	rdb *redis.Client
	run func(ctx context.Context, track int) error
}

func trackKey(track int) string { return fmt.Sprintf("depot:track:%d", track) }

func pitKey(track int) string { return fmt.Sprintf("depot:pit:%d", track) }

func washKey(track int) string { return fmt.Sprintf("depot:wash:%d", track) }

func fuelKey(track int) string { return fmt.Sprintf("depot:fuel:%d", track) }

func (d *Depot) leave(ctx context.Context, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return d.rdb.Eval(end, release, []string{key}, own).Err()
}

// Enter sets the TTL once the track is its own.
func (d *Depot) Enter(ctx context.Context, track int) (err error) {
	own := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, trackKey(track), own, 0).Result() // EXPECT: nonatomic-ttl
	if err != nil {
		return fmt.Errorf("track %d: %w", track, err)
	}
	if !ok {
		return ErrTrack
	}
	defer func() { err = errors.Join(err, d.leave(ctx, trackKey(track), own)) }()
	if err := d.rdb.Expire(ctx, trackKey(track), ttl).Err(); err != nil { // ALSO-OK: nonatomic-ttl
		return err
	}
	return d.run(ctx, track)
}

// Inspect sends both commands in one round trip, which is not one step.
func (d *Depot) Inspect(ctx context.Context, track int) (err error) {
	own := uuid.NewString()
	pipe := d.rdb.Pipeline()
	got := pipe.SetNX(ctx, pitKey(track), own, 0) // EXPECT: nonatomic-ttl
	pipe.PExpire(ctx, pitKey(track), ttl)         // ALSO-OK: nonatomic-ttl, ownerless-extend
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("pit %d: %w", track, err)
	}
	if !got.Val() {
		return ErrTrack
	}
	defer func() { err = errors.Join(err, d.leave(ctx, pitKey(track), own)) }()
	return d.run(ctx, track)
}

// Wash uses bare commands.
func (d *Depot) Wash(ctx context.Context, track int) (err error) {
	own := uuid.NewString()
	n, err := d.rdb.Do(ctx, "SETNX", washKey(track), own).Int() // EXPECT: nonatomic-ttl
	if err != nil {
		return fmt.Errorf("wash %d: %w", track, err)
	}
	if n == 0 {
		return ErrTrack
	}
	defer func() { err = errors.Join(err, d.leave(ctx, washKey(track), own)) }()
	if err := d.rdb.Do(ctx, "PEXPIRE", washKey(track), ttl.Milliseconds()).Err(); err != nil { // ALSO-OK: nonatomic-ttl
		return err
	}
	return d.run(ctx, track)
}

// fill sets key and TTL in one script, which is one step.
var fill = redis.NewScript(`
local got = redis.call("SETNX", KEYS[1], ARGV[1])
if got == 1 then
	redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return got`)

// Fill fills a locomotive.
func (d *Depot) Fill(ctx context.Context, track int) (err error) {
	own := uuid.NewString()
	n, err := fill.Run(ctx, d.rdb, []string{fuelKey(track)}, own, ttl.Milliseconds()).Int()
	if err != nil {
		return fmt.Errorf("fuel %d: %w", track, err)
	}
	if n != 1 {
		return ErrTrack
	}
	defer func() { err = errors.Join(err, d.leave(ctx, fuelKey(track), own)) }()
	return d.run(ctx, track)
}
