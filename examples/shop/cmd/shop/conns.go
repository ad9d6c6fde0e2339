package main

import (
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// conns is the two clients of the shop: locks must answer soon or not at all, rows may be asked again.
type conns struct {
	locks, rows *redis.Client
	lease       time.Duration
	pass        func(time.Duration)
	close       func()
}

func connect(url string) (*conns, error) {
	if url != "" {
		return connectTo(url)
	}
	embedded, err := miniredis.Run()
	if err != nil {
		return nil, fmt.Errorf("embedded Redis: %w", err)
	}
	rd := clients(&redis.Options{Addr: embedded.Addr()})
	// The embedded Redis has no clock of its own: time passes for its keys when it is told so.
	rd.lease, rd.pass = 30*time.Second, embedded.FastForward
	shut := rd.close
	rd.close = func() { shut(); embedded.Close() }
	return rd, nil
}

func connectTo(url string) (*conns, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("REDIS_URL: %w", err)
	}
	rd := clients(options)
	rd.lease = 500 * time.Millisecond
	rd.pass = func(d time.Duration) { time.Sleep(d + 50*time.Millisecond) }
	return rd, nil
}

func clients(options *redis.Options) *conns {
	forLocks := *options
	forLocks.ContextTimeoutEnabled = true
	forLocks.ReadTimeout, forLocks.WriteTimeout = time.Second, time.Second
	// A repeated SET NX finds the key that its first attempt has set, and takes it for another's.
	forLocks.MaxRetries, forLocks.DialerRetries = -1, 1
	locks, rows := redis.NewClient(&forLocks), redis.NewClient(options)
	return &conns{locks: locks, rows: rows, close: func() { locks.Close(); rows.Close() }}
}
