// EXPECT-NONE

// Package valuesnotlocks keeps small things that are there for ever, or get their TTL later.
package valuesnotlocks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Store struct{ rdb redis.UniversalClient }

func installKey() string { return "install:id" }

func jobKey(id int64) string { return fmt.Sprintf("job:%d", id) }

func visitorsKey(day string) string { return fmt.Sprintf("visitors:%s", day) }

func basketKey(user int64) string { return fmt.Sprintf("basket:%d", user) }

func bannerKey(site int64) string { return fmt.Sprintf("banner:%d", site) }

func limitKey(user int64) string { return fmt.Sprintf("limit:%d", user) }

// InstallID returns the id that the first replica has made up.
func (s *Store) InstallID(ctx context.Context) (string, error) {
	if err := s.rdb.SetNX(ctx, installKey(), uuid.NewString(), 0).Err(); err != nil {
		return "", err
	}
	return s.rdb.Get(ctx, installKey()).Result()
}

// Record stores a job if it is new; jobs are removed when they are archived.
func (s *Store) Record(ctx context.Context, id int64, text string) (bool, error) {
	return s.rdb.SetNX(ctx, jobKey(id), text, 0).Result()
}

// Job reads it.
func (s *Store) Job(ctx context.Context, id int64) (string, error) {
	return s.rdb.Get(ctx, jobKey(id)).Result()
}

// Archive removes it.
func (s *Store) Archive(ctx context.Context, id int64) error {
	return s.rdb.Del(ctx, jobKey(id)).Err()
}

// Visit counts a visitor once a day.
func (s *Store) Visit(ctx context.Context, day string, user int64) (bool, error) {
	n, err := s.rdb.SAdd(ctx, visitorsKey(day), user).Result()
	if err != nil {
		return false, err
	}
	return n == 1, s.rdb.Expire(ctx, visitorsKey(day), 48*time.Hour).Err()
}

// Put puts something into a basket, which lives for a week from then on.
func (s *Store) Put(ctx context.Context, user int64, article string) error {
	_, err := s.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.HIncrBy(ctx, basketKey(user), article, 1)
		p.Expire(ctx, basketKey(user), 7*24*time.Hour)
		return nil
	})
	return err
}

// Banner returns the banner of a site and keeps it for another hour.
func (s *Store) Banner(ctx context.Context, site int64, fresh func() string) (string, error) {
	if err := s.rdb.SetNX(ctx, bannerKey(site), fresh(), time.Hour).Err(); err != nil {
		return "", err
	}
	text, err := s.rdb.Get(ctx, bannerKey(site)).Result()
	if err != nil {
		return "", err
	}
	return text, s.rdb.Expire(ctx, bannerKey(site), time.Hour).Err()
}

// Allow lets a user in ten times a minute.
func (s *Store) Allow(ctx context.Context, user int64) (bool, error) {
	if err := s.rdb.SetNX(ctx, limitKey(user), 0, time.Minute).Err(); err != nil {
		return false, err
	}
	n, err := s.rdb.Incr(ctx, limitKey(user)).Result()
	return n <= 10, err
}

// Left tells how long a user has to wait.
func (s *Store) Left(ctx context.Context, user int64) (time.Duration, error) {
	d, err := s.rdb.TTL(ctx, limitKey(user)).Result()
	if err == nil && d < 0 {
		err = errors.New("no limit")
	}
	return d, err
}
