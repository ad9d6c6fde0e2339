// Package sharedvars freezes and thaws the accounts of a savings bank.
package sharedvars

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var (
	ErrAccount = errors.New("account is being changed")

	dropOwn = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

	// rdb and freezeOwner are set up by main and by freeze.
	rdb         *redis.Client
	freezeOwner string
)

// Setup is called once.
func Setup(c *redis.Client) { rdb = c }

func accountKey(account int64) string { return fmt.Sprintf("bank:account:%d:freeze", account) }

func thawKey(account int64) string { return fmt.Sprintf("bank:account:%d:thaw", account) }

// Freeze freezes an account; several clerks do so at once.
func Freeze(ctx context.Context, account int64, freeze func(context.Context) error) (err error) {
	freezeOwner = uuid.NewString() // EXPECT: owner-overwritten
	ok, err := rdb.SetNX(ctx, accountKey(account), freezeOwner, 10*time.Second).Result()
	if err != nil {
		return fmt.Errorf("account %d: %w", account, err)
	}
	if !ok {
		return ErrAccount
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		derr := dropOwn.Run(end, rdb, []string{accountKey(account)}, freezeOwner).Err() // ALSO-OK: ownerless-release
		err = errors.Join(err, derr)
	}()
	return freeze(ctx)
}

// Pair is how to take an account and how to give it back.
type Pair struct {
	Take func(ctx context.Context, account int64) error
	Give func(ctx context.Context, account int64) error
}

// NewPair returns a pair that all clerks of a branch use together.
func NewPair() Pair {
	var owner string
	return Pair{
		Take: func(ctx context.Context, account int64) error {
			owner = uuid.NewString() // EXPECT: owner-overwritten
			ok, err := rdb.SetNX(ctx, thawKey(account), owner, 10*time.Second).Result()
			if err == nil && !ok {
				err = ErrAccount
			}
			return err
		},
		Give: func(ctx context.Context, account int64) error {
			return dropOwn.Run(ctx, rdb, []string{thawKey(account)}, owner).Err() // ALSO-OK: ownerless-release
		},
	}
}

// Branch thaws accounts for its clerks.
type Branch struct{ pair Pair }

func NewBranch() *Branch { return &Branch{pair: NewPair()} }

// Thaw thaws an account.
func (b *Branch) Thaw(ctx context.Context, account int64, thaw func(context.Context) error) (err error) {
	if err := b.pair.Take(ctx, account); err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, b.pair.Give(end, account))
	}()
	return thaw(ctx)
}
