// Package skilifts runs lifts, and mixes up what is different, in many ways.
package skilifts

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"
	goredis "github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

var giveBack = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

var ErrBusy = errors.New("busy")

type S struct {
	rdb   *goredis.Client
	pool  *redis.Pool
	locks *redislock.Client
	rs    *redsync.Redsync
	work  func(ctx context.Context, id int64) error
	mu    sync.Mutex
}

func key(id int64) string { return fmt.Sprintf("ski:lift:%d", id) }

func (s *S) free(ctx context.Context, id int64, tok string) {
	giveBack.Run(context.WithoutCancel(ctx), s.rdb, []string{key(id)}, tok)
}

// Open asks the status and not the error.
func (s *S) Open(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	st, err := s.rdb.SetArgs(ctx, key(id), tok, goredis.SetArgs{Mode: "NX", TTL: time.Minute}).Result()
	if st != "OK" { // EXPECT: error-conflated
		return ErrBusy
	}
	_ = err
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Close asks the error and not which.
func (s *S) Close(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	if err := s.rdb.SetArgs(ctx, key(id), tok, goredis.SetArgs{Mode: "NX", TTL: time.Minute}).Err(); err != nil { // EXPECT: error-conflated
		return ErrBusy
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Check stops for redis.Nil alone.
func (s *S) Check(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	err := s.rdb.SetArgs(ctx, key(id), tok, goredis.SetArgs{Mode: "NX", TTL: time.Minute}).Err()
	if err == goredis.Nil { // EXPECT: fail-open
		return ErrBusy
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Grease reads the reply as it came.
func (s *S) Grease(id int64) error {
	c := s.pool.Get()
	defer c.Close()
	tok := uuid.NewString()
	reply, err := c.Do("SET", key(id), tok, "NX", "PX", 30000)
	if reply == nil || err != nil { // EXPECT: error-conflated
		return ErrBusy
	}
	defer redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`).Do(c, key(id), tok)
	return s.work(context.Background(), id)
}

// Brake reads a number, and drops the error.
func (s *S) Brake(id int64) (err error) {
	c := s.pool.Get()
	defer c.Close()
	tok := uuid.NewString()
	n, _ := redis.Int(c.Do("SETNX", key(id), tok))
	if n == 0 { // EXPECT: error-conflated
		err = ErrBusy
		return
	}
	c.Do("EXPIRE", key(id), 30)
	defer redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`).Do(c, key(id), tok)
	err = s.work(context.Background(), id)
	return
}

// Start asks a closure.
func (s *S) Start(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	lock := func() bool {
		ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
		if err != nil {
			log.Println(err)
			return false // EXPECT: error-conflated
		}
		return ok
	}
	if !lock() {
		return ErrBusy
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// StartAll works in goroutines.
func (s *S) StartAll(ctx context.Context, ids []int64) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, id := range ids {
		g.Go(func() error {
			tok := uuid.NewString()
			ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
			if !ok || err != nil { // EXPECT: error-conflated
				return fmt.Errorf("lift %d is busy", id)
			}
			defer s.free(ctx, id, tok)
			return s.work(ctx, id)
		})
	}
	return g.Wait()
}

// Stop logs, and goes on.
func (s *S) Stop(ctx context.Context, id int64) error {
	m := s.rs.NewMutex(key(id), redsync.WithExpiry(time.Minute))
	if err := m.LockContext(ctx); err != nil { // EXPECT: acquire-ignored
		log.Printf("lock: %v", err)
	} else {
		defer m.UnlockContext(context.WithoutCancel(ctx))
	}
	return s.work(ctx, id)
}

// locked runs work of any type.
func locked[T any](ctx context.Context, s *S, id int64, f func(context.Context) (T, error)) (T, error) {
	var zero T
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err != nil || !ok { // EXPECT: error-conflated
		return zero, ErrBusy
	}
	defer s.free(ctx, id, tok)
	return f(ctx)
}

func (s *S) UseLocked(ctx context.Context, id int64) (int, error) {
	return locked(ctx, s, id, func(ctx context.Context) (int, error) { return 1, s.work(ctx, id) })
}

// maybe runs work of any type, in an outage too.
func maybe[T any](ctx context.Context, s *S, id int64, f func(context.Context) (T, error)) (T, error) {
	var zero T
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err != nil { // EXPECT: fail-open
		return f(ctx)
	}
	if !ok {
		return zero, ErrBusy
	}
	defer s.free(ctx, id, tok)
	return f(ctx)
}

func (s *S) UseMaybe(ctx context.Context, id int64) (int, error) {
	return maybe(ctx, s, id, func(ctx context.Context) (int, error) { return 1, s.work(ctx, id) })
}

// Test stops for an outage only.
func (s *S) Test(ctx context.Context, id int64) error {
	l, err := s.locks.Obtain(ctx, key(id), time.Minute, nil) // EXPECT: acquire-ignored
	if err != nil && !errors.Is(err, redislock.ErrNotObtained) {
		return err
	}
	if l != nil {
		defer l.Release(context.WithoutCancel(ctx))
	}
	return s.work(ctx, id)
}

// Inspect has a case for the rest that goes on.
func (s *S) Inspect(ctx context.Context, id int64) error {
	l, err := s.locks.Obtain(ctx, key(id), time.Minute, nil)
	switch err {
	case nil:
	case redislock.ErrNotObtained: // EXPECT: fail-open
		return ErrBusy
	default: // ALSO-OK: fail-open
		log.Printf("redis: %v", err)
	}
	if l != nil {
		defer l.Release(context.WithoutCancel(ctx))
	}
	return s.work(ctx, id)
}

// Repair tells whether it was done.
func (s *S) Repair(ctx context.Context, id int64) (done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tok := uuid.NewString()
	if got := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Val(); got { // EXPECT: error-conflated
		defer s.free(ctx, id, tok)
		return s.work(ctx, id) == nil
	}
	return false // ALSO-OK: error-conflated
}

// Wait tries some times.
func (s *S) Wait(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	var ok bool
	var err error
	for i := 0; i < 5 && !ok; i++ { // EXPECT: polling-wait
		ok, err = s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
		if !ok {
			time.Sleep(100 * time.Millisecond)
		}
	}
	if !ok { // EXPECT: error-conflated
		return ErrBusy
	}
	_ = err
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Turn asks the command twice.
func (s *S) Turn(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	res := s.rdb.SetNX(ctx, key(id), tok, time.Minute)
	if res.Err() != nil { // ALSO-OK: fail-open
		log.Printf("lock: %v", res.Err())
	}
	if res.Err() == nil && !res.Val() { // EXPECT: fail-open
		return ErrBusy
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}
