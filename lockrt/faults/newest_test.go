package main

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// This module is built with the newest go-redis, lockrt itself with the oldest that serves.

// A client that requires maintenance notifications registers handlers that nobody may register twice.
func TestLockersOnAClientWithMaintenanceNotifications(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:1", Protocol: 3,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeEnabled},
	})
	defer rdb.Close()
	for range 2 {
		l, err := lockrt.New(rdb)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// Client-side caching stays with the client that was given.
func TestLockerOnACachingClient(t *testing.T) {
	s := redistest.Start(t)
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr, Protocol: 3, ClientSideCacheConfig: &redis.ClientSideCacheConfig{}})
	defer rdb.Close()
	l, err := lockrt.New(rdb)
	if err != nil {
		t.Fatal(err)
	}
	key := faultLock.Of("cached")
	for range 3 {
		if _, err := l.Do(context.Background(), key, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	if err := l.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
