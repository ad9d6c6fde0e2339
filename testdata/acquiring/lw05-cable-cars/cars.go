// Package cablecars hangs cars on cables, and waits for them in many ways.
package cablecars

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
var ErrBusy = errors.New("busy")

type S struct {
	rdb  *redis.Client
	work func(ctx context.Context, id int64) error
	cfg  struct {
		Poll, Max time.Duration
		Tries     int
	}
	done chan struct{}
}

func key(id int64) string { return fmt.Sprintf("cable:car:%d", id) }
func (s *S) free(ctx context.Context, id int64, tok string) {
	giveBack.Run(context.WithoutCancel(ctx), s.rdb, []string{key(id)}, tok)
}
func (s *S) try(ctx context.Context, id int64, tok string) (bool, error) {
	return s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
}
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Haul sleeps in a function of its own, always for as long.
func (s *S) Haul(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	for { // EXPECT: polling-wait
		ok, err := s.try(ctx, id, tok)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if err := sleep(ctx, s.cfg.Poll); err != nil {
			return err
		}
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Lift is right: the pause grows.
func (s *S) Lift(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	for i := 0; ; i++ {
		ok, err := s.try(ctx, id, tok)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if err := sleep(ctx, time.Duration(1<<min(i, 6))*10*time.Millisecond); err != nil {
			return err
		}
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Swing is right: the timer is set for longer each time.
func (s *S) Swing(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	d := 10 * time.Millisecond
	t := time.NewTimer(d)
	defer t.Stop()
	for {
		ok, err := s.try(ctx, id, tok)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		d *= 2
		t.Reset(d)
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Brace has a deadline: a note.
func (s *S) Brace(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	wait, stop := context.WithTimeout(ctx, s.cfg.Max)
	defer stop()
	for { // EXPECT: polling-wait(arguable)
		ok, err := s.try(wait, id, tok)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-wait.Done():
			return ErrBusy
		case <-time.After(s.cfg.Poll):
		}
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Latch is right: it has a table of pauses.
func (s *S) Latch(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	for _, d := range []time.Duration{10, 50, 250} {
		ok, err := s.try(ctx, id, tok)
		if err != nil {
			return err
		}
		if ok {
			defer s.free(ctx, id, tok)
			return s.work(ctx, id)
		}
		time.Sleep(d * time.Millisecond)
	}
	return ErrBusy
}

func jitter(d time.Duration) time.Duration { return d + time.Duration(rand.Int63n(int64(d))) }

// Roll is right: a function makes the pause random.
func (s *S) Roll(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	for {
		ok, err := s.try(ctx, id, tok)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		time.Sleep(jitter(s.cfg.Poll))
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Glide is right: whoever gives the lock back wakes it.
func (s *S) Glide(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	sub := s.rdb.Subscribe(ctx, "freed")
	defer sub.Close()
	for {
		ok, err := s.try(ctx, id, tok)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-sub.Channel():
		case <-time.After(time.Second):
		}
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Climb counts: a note.
func (s *S) Climb(id int64) error {
	tok := uuid.NewString()
	tries := s.cfg.Tries
	for tries > 0 { // EXPECT: polling-wait(arguable)
		ok, err := s.try(context.Background(), id, tok)
		if err == nil && ok {
			defer s.free(context.Background(), id, tok)
			return s.work(context.Background(), id)
		}
		tries--
		time.Sleep(time.Second)
	}
	return ErrBusy // EXPECT: error-conflated
}

// Launch waits in a goroutine that nothing ends.
func (s *S) Launch(id int64) chan error {
	out := make(chan error, 1)
	go func() {
		tok := uuid.NewString()
		for { // EXPECT: unbounded-wait
			if ok, _ := s.try(context.TODO(), id, tok); ok { // ALSO-OK: error-conflated
				break
			}
			time.Sleep(s.cfg.Poll)
		}
		defer s.free(context.TODO(), id, tok)
		out <- s.work(context.TODO(), id)
	}()
	return out
}

// Berth has labels, a signal to stop, and always the same pause.
func (s *S) Berth(ctx context.Context, id int64) error {
	tok := uuid.NewString()
wait:
	for { // EXPECT: polling-wait
		select {
		case <-s.done:
			return ErrBusy
		default:
		}
		switch ok, err := s.try(ctx, id, tok); {
		case err != nil:
			return err
		case ok:
			break wait
		}
		<-time.After(time.Second)
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Serve is no wait: each car is tried once.
func (s *S) Serve(ctx context.Context, ids <-chan int64) {
	for id := range ids {
		tok := uuid.NewString()
		ok, err := s.try(ctx, id, tok)
		if err != nil || !ok { // EXPECT: error-conflated
			continue
		}
		s.work(ctx, id)
		s.free(ctx, id, tok)
		time.Sleep(time.Second)
	}
}
