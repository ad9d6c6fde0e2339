// Package mineshaft runs the cage of a shaft.
package mineshaft

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	v6 "github.com/go-redis/redis"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/zeromicro/go-zero/core/stores/redis"
)

var ErrCage = errors.New("cage is on its way")

var giveBack = v6.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Shaft struct {
	rdb   *v6.Client
	gz    *redis.Redis
	locks *redislock.Client
	rs    *redsync.Redsync
	stop  chan struct{}
	run   func(shaft int) error
}

func shaftKey(shaft int) string { return fmt.Sprintf("mine:shaft:%d", shaft) }

// Lower spins on a client that knows no contexts.
func (s *Shaft) Lower(shaft int) error {
	token := uuid.NewString()
	for !s.rdb.SetNX(shaftKey(shaft), token, 30*time.Second).Val() { // EXPECT: unbounded-wait
		time.Sleep(10 * time.Millisecond)
	}
	defer giveBack.Run(s.rdb, []string{shaftKey(shaft)}, token)
	return s.run(shaft)
}

// LowerUntilStop polls until it is told to stop.
func (s *Shaft) LowerUntilStop(shaft int) error {
	token := uuid.NewString()
	for { // EXPECT: polling-wait
		ok, err := s.rdb.SetNX(shaftKey(shaft), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-s.stop:
			return ErrCage
		case <-time.After(100 * time.Millisecond):
		}
	}
	defer giveBack.Run(s.rdb, []string{shaftKey(shaft)}, token)
	return s.run(shaft)
}

// LowerFor has a deadline: a note.
func (s *Shaft) LowerFor(shaft int, limit time.Duration) error {
	token := uuid.NewString()
	for end := time.Now().Add(limit); ; { // EXPECT: polling-wait(arguable)
		ok, err := s.rdb.SetNX(shaftKey(shaft), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if time.Now().After(end) {
			return ErrCage
		}
		time.Sleep(100 * time.Millisecond)
	}
	defer giveBack.Run(s.rdb, []string{shaftKey(shaft)}, token)
	return s.run(shaft)
}

// Raise polls with go-zero's lock.
func (s *Shaft) Raise(ctx context.Context, shaft int) error {
	lock := redis.NewRedisLock(s.gz, shaftKey(shaft))
	lock.SetExpire(30)
	for { // EXPECT: polling-wait
		ok, err := lock.AcquireCtx(ctx)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	defer lock.ReleaseCtx(context.WithoutCancel(ctx))
	return s.run(shaft)
}

// RaiseAgain polls with a handle, and no end.
func (s *Shaft) RaiseAgain(shaft int) error {
	ctx := context.Background()
	var lock *redislock.Lock
	var err error
again:
	lock, err = s.locks.Obtain(ctx, shaftKey(shaft), 30*time.Second, nil) // EXPECT: unbounded-wait
	if errors.Is(err, redislock.ErrNotObtained) {
		time.Sleep(time.Second)
		goto again
	}
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return s.run(shaft)
}

// Turn leaves the waiting to the library, which has a limit.
func (s *Shaft) Turn(ctx context.Context, shaft int) error {
	m := s.rs.NewMutex(shaftKey(shaft), redsync.WithTries(10), redsync.WithRetryDelay(200*time.Millisecond))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	return s.run(shaft)
}

// TurnSlowly leaves it to the library, too.
func (s *Shaft) TurnSlowly(ctx context.Context, shaft int) error {
	lock, err := s.locks.Obtain(ctx, shaftKey(shaft), 30*time.Second, &redislock.Options{
		RetryStrategy: redislock.LimitRetry(redislock.ExponentialBackoff(20*time.Millisecond, time.Second), 10),
	})
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return s.run(shaft)
}

// Stop waits for something that is no lock.
func (s *Shaft) Stop(shaft int) error {
	for {
		n, err := s.rdb.LLen("mine:queue").Result()
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		time.Sleep(time.Second)
	}
	return s.run(shaft)
}
