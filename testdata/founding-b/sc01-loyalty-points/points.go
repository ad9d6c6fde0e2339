// Package loyaltypoints books points on the cards of members.
package loyaltypoints

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrBusy says that another till books on the same card.
var ErrBusy = errors.New("card is in use")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Accounts keeps the balances.
type Accounts interface {
	Balance(ctx context.Context, member int64) (int64, error)
	SetBalance(ctx context.Context, member, points int64) error
}

// Purchase is a line of the file that a till sends at night.
type Purchase struct {
	Member int64
	Points int64
}

type Service struct {
	rdb      *redis.Client
	accounts Accounts
}

func memberKey(member int64) string { return fmt.Sprintf("loyalty:member:%d", member) }

// Credit books points, one booking per member at a time.
func (s *Service) Credit(ctx context.Context, member, points int64) (err error) {
	key, owner := memberKey(member), uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, s.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return s.credit(work, member, points)
}

func (s *Service) credit(ctx context.Context, member, points int64) error {
	have, err := s.accounts.Balance(ctx, member)
	if err != nil {
		return err
	}
	return s.accounts.SetBalance(ctx, member, have+points)
}

// ImportDay books what the tills sent.
func (s *Service) ImportDay(ctx context.Context, file []Purchase) error {
	for _, p := range file {
		if err := s.credit(ctx, p.Member, p.Points); err != nil { // EXPECT: self-call
			return fmt.Errorf("member %d: %w", p.Member, err)
		}
	}
	return nil
}
