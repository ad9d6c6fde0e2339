// EXPECT-NONE

// Package studio books the rooms of a recording studio, with the Redis client of go-zero.
package studio

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"
	"github.com/zeromicro/go-zero/core/stores/redis"
)

var errRecording = errors.New("room is recording")

type Studio struct{ store *redis.Redis }

func roomKey(room int64) string { return "studio:room:" + strconv.FormatInt(room, 10) }

func boothKey(booth int64) string { return "studio:booth:" + strconv.FormatInt(booth, 10) }

func mixKey(song string) string { return "studio:mix:" + song }

const compareAndDelete = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) else return 0 end`

var compareAndExpire = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("EXPIRE", KEYS[1], ARGV[2]) else return 0 end`)

// Room records in a room.
func (s *Studio) Room(ctx context.Context, room int64, record func(context.Context) error) error {
	own := uuid.NewString()
	ok, err := s.store.SetnxExCtx(ctx, roomKey(room), own, 60)
	if err != nil {
		return err
	}
	if !ok {
		return errRecording
	}
	defer s.store.EvalCtx(context.WithoutCancel(ctx), compareAndDelete, []string{roomKey(room)}, own)
	if err := record(ctx); err != nil {
		return err
	}
	_, err = s.store.ScriptRunCtx(ctx, compareAndExpire, []string{roomKey(room)}, own, 60)
	return err
}

// Booth uses the library's lock.
func (s *Studio) Booth(ctx context.Context, booth int64, sing func(context.Context) error) error {
	l := redis.NewRedisLock(s.store, boothKey(booth))
	l.SetExpire(30)
	ok, err := l.AcquireCtx(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return errRecording
	}
	defer l.ReleaseCtx(context.WithoutCancel(ctx))
	return sing(ctx)
}

// Mix is kept for an hour.
func (s *Studio) Mix(ctx context.Context, song string, mix func(context.Context) (string, error)) (string, error) {
	if done, err := s.store.GetCtx(ctx, mixKey(song)); err != nil || done != "" {
		return done, err
	}
	done, err := mix(ctx)
	if err != nil {
		return "", err
	}
	return done, s.store.SetexCtx(ctx, mixKey(song), done, 3600)
}

// Remix forgets it.
func (s *Studio) Remix(song string) error {
	_, err := s.store.Del(mixKey(song))
	return err
}

func applauseKey(guest string) string { return "studio:applause:" + guest }

// Applause counts once an hour.
func (s *Studio) Applause(guest string) (bool, error) {
	return s.store.SetnxEx(applauseKey(guest), "1", 3600)
}
