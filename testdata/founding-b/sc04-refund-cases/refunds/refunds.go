// Package refunds pays customers back.
package refunds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrBusy says that a case is being worked on.
var ErrBusy = errors.New("refund case is being worked on")

// Payer is the only way to give money back.
type Payer interface {
	Refund(ctx context.Context, claim int64) error
}

// Bank moves the money.
type Bank interface {
	Paid(ctx context.Context, claim int64) (bool, error)
	Send(ctx context.Context, claim int64) error
}

// Cashier pays without asking whether somebody else does.
type Cashier struct{ Bank Bank }

// Refund pays a claim that is not paid yet.
func (c Cashier) Refund(ctx context.Context, claim int64) error {
	paid, err := c.Bank.Paid(ctx, claim)
	if err != nil || paid {
		return err
	}
	return c.Bank.Send(ctx, claim)
}

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type exclusive struct {
	payer Payer
	rdb   *redis.Client
}

// Exclusive lets one replica at a time refund a claim.
func Exclusive(p Payer, rdb *redis.Client) Payer { return exclusive{payer: p, rdb: rdb} }

func claimKey(claim int64) string { return fmt.Sprintf("refund-claim:%d", claim) }

func (e exclusive) Refund(ctx context.Context, claim int64) (err error) {
	key, owner := claimKey(claim), uuid.NewString()
	ok, err := e.rdb.SetNX(ctx, key, owner, 40*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, e.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return e.payer.Refund(work, claim)
}
