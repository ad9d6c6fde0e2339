// Package beatextend records the streams of a conference.
package beatextend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrRecording = errors.New("stream is being recorded")

const lease = 15 * time.Second

var stopRecording = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Recorder struct {
	rdb    *redis.Client
	record func(ctx context.Context, stream int64) error
}

func streamKey(stream int64) string { return fmt.Sprintf("conf:stream:%d:record", stream) }

func subtitleKey(stream int64) string { return fmt.Sprintf("conf:subtitles:%d:write", stream) }

// Record records until the stream ends.
func (r *Recorder) Record(ctx context.Context, stream int64) error {
	return r.hold(ctx, streamKey(stream), r.beat, func(ctx context.Context) error { return r.record(ctx, stream) })
}

// Subtitle writes subtitles until the stream ends.
func (r *Recorder) Subtitle(ctx context.Context, stream int64) error {
	return r.hold(ctx, subtitleKey(stream), r.rewrite, func(ctx context.Context) error { return r.record(ctx, stream) })
}

type extend func(ctx context.Context, key, own string) (bool, error)

// hold runs fn and calls ext three times per lease; it cancels fn when ext fails.
func (r *Recorder) hold(ctx context.Context, key string, ext extend, fn func(context.Context) error) (err error) {
	own := uuid.NewString()
	ok, err := r.rdb.SetNX(ctx, key, own, lease).Result()
	if err != nil {
		return fmt.Errorf("hold %s: %w", key, err)
	}
	if !ok {
		return ErrRecording
	}
	work, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(keep(work, key, own, ext))
	}()
	defer func() {
		cancel(nil)
		<-done
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, stopRecording.Run(end, r.rdb, []string{key}, own).Err())
	}()
	return fn(work)
}

func keep(ctx context.Context, key, own string, ext extend) error {
	tick := time.NewTicker(lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if ok, err := ext(ctx, key, own); err != nil || !ok {
				return errors.Join(errors.New("lease lost"), err)
			}
		}
	}
}

// beat only knows that the key is there.
func (r *Recorder) beat(ctx context.Context, key, _ string) (bool, error) {
	return r.rdb.Expire(ctx, key, lease).Result() // EXPECT: ownerless-extend
}

// rewrite puts its own value over whatever is there.
func (r *Recorder) rewrite(ctx context.Context, key, own string) (bool, error) {
	return r.rdb.SetXX(ctx, key, own, lease).Result() // EXPECT: ownerless-extend
}
