// Package berth holds one berth for one ship at a time.
package berth

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/rueidis"
)

var ErrOccupied = errors.New("berth is occupied")

var leave = rueidis.NewLuaScript(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) else return 0 end`)

var stay = rueidis.NewLuaScript(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE",KEYS[1],ARGV[2]) else return 0 end`)

// Berth is a berth that is held.
type Berth struct {
	client   rueidis.Client
	key, own string
}

// Options of a berth.
type Option func(*Berth)

// As names the ship instead of a random value.
func As(own string) Option { return func(b *Berth) { b.own = own } }

// New prepares to take a berth.
func New(client rueidis.Client, key string, options ...Option) *Berth {
	b := &Berth{client: client, key: key, own: uuid.NewString()}
	for _, o := range options {
		o(b)
	}
	return b
}

// Take reports whether the berth is ours now.
func (b *Berth) Take(ctx context.Context, ttl time.Duration) (bool, error) {
	set := b.client.B().Set().Key(b.key).Value(b.own).Nx().PxMilliseconds(ttl.Milliseconds()).Build()
	err := b.client.Do(ctx, set).Error() // EXPECT: constant-owner
	if rueidis.IsRedisNil(err) {
		return false, nil
	}
	return err == nil, err
}

// Stay holds it longer.
func (b *Berth) Stay(ctx context.Context, ms string) (bool, error) {
	return stay.Exec(ctx, b.client, []string{b.key}, []string{b.own, ms}).AsBool()
}

// Leave gives it back.
func (b *Berth) Leave(ctx context.Context) error {
	n, err := leave.Exec(ctx, b.client, []string{b.key}, []string{b.own}).AsInt64()
	if err == nil && n == 0 {
		return ErrOccupied
	}
	return err
}

// Clear removes a key whoever put it there. Who calls it has to know.
func Clear(ctx context.Context, client rueidis.Client, command rueidis.Completed) error {
	return client.Do(ctx, command).NonRedisError()
}
