// Package pumps has an old helper and a new one for the same keys. The old one gives the TTL in a second command, which
// is one fault, and prolongs nothing.
package pumps

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrTaken says that somebody else works at the pump.
var ErrTaken = errors.New("taken")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Old struct{ rdb *redis.Client }

func (o *Old) Lock(ctx context.Context, key, own string) (bool, error) {
	ok, err := o.rdb.SetNX(ctx, key, own, 0).Result() // EXPECT: nonatomic-ttl
	if err != nil || !ok {
		return false, err
	}
	return true, o.rdb.Expire(ctx, key, 10*time.Second).Err()
}

type New struct{ rdb *redis.Client }

func (n *New) Lock(ctx context.Context, key, own string) error {
	ok, err := n.rdb.SetNX(ctx, key, own, 10*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrTaken
	}
	return nil
}

func free(ctx context.Context, rdb *redis.Client, key, own string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return giveBack.Run(end, rdb, []string{key}, own).Err()
}

func pumpKey(id string) string { return "pumps:" + id }

type Station struct {
	old *Old
	new *New
	rdb *redis.Client
}

// Fill takes the old one.
func (s *Station) Fill(ctx context.Context, id string, work func(context.Context) error) (err error) {
	own := uuid.NewString()
	ok, err := s.old.Lock(ctx, pumpKey(id), own)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTaken
	}
	defer func() { err = errors.Join(err, free(ctx, s.rdb, pumpKey(id), own)) }()
	return work(ctx)
}

// Drain takes the new one.
func (s *Station) Drain(ctx context.Context, id string, work func(context.Context) error) (err error) {
	own := uuid.NewString()
	if err := s.new.Lock(ctx, pumpKey(id), own); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free(ctx, s.rdb, pumpKey(id), own)) }()
	return work(ctx)
}
