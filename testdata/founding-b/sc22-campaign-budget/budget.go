// EXPECT-NONE

// Package campaignbudget spends the budgets of advertising campaigns.
package campaignbudget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var (
	ErrBusy  = errors.New("campaign is being charged")
	ErrEmpty = errors.New("campaign has no budget left")
)

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Budgets stores what is left.
type Budgets interface {
	Left(ctx context.Context, campaign int64) (int64, error)
	SetLeft(ctx context.Context, campaign, cents int64) error
}

type Service struct {
	cli     redis.UniversalClient
	budgets Budgets
}

func budgetKey(campaign int64) string { return fmt.Sprintf("campaign:%d:budget", campaign) }

func (s *Service) charging(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := s.cli.SetNX(ctx, key, owner, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, s.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return fn(work)
}

// Click charges one click.
func (s *Service) Click(ctx context.Context, campaign, cents int64) error {
	return s.charging(ctx, budgetKey(campaign), func(ctx context.Context) error {
		return s.spend(ctx, campaign, cents)
	})
}

// Day charges the fee of a day and the clicks that came late.
func (s *Service) Day(ctx context.Context, campaign, fee int64, late []int64) error {
	return s.charging(ctx, budgetKey(campaign), func(ctx context.Context) error {
		if err := s.spend(ctx, campaign, fee); err != nil {
			return err
		}
		return s.lateClicks(ctx, campaign, late)
	})
}

// Close charges the late clicks and gives nothing back.
func (s *Service) Close(ctx context.Context, campaign int64, late []int64) error {
	return s.charging(ctx, budgetKey(campaign), func(ctx context.Context) error {
		return s.lateClicks(ctx, campaign, late)
	})
}

// lateClicks is called by those who hold the budget.
func (s *Service) lateClicks(ctx context.Context, campaign int64, late []int64) error {
	for _, cents := range late {
		if err := s.spend(ctx, campaign, cents); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) spend(ctx context.Context, campaign, cents int64) error {
	left, err := s.budgets.Left(ctx, campaign)
	if err != nil {
		return err
	}
	if left < cents {
		return ErrEmpty
	}
	return s.budgets.SetLeft(ctx, campaign, left-cents)
}
