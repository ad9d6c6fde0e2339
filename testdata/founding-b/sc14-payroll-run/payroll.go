// Package payrollrun pays salaries.
package payrollrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("pay slip is being paid")

// nightKey is held by the replica that does the night's run.
const nightKey = "payroll-night"

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Salaries knows who gets what.
type Salaries interface {
	Unpaid(ctx context.Context) ([]int64, error)
	Paid(ctx context.Context, slip int64) (bool, error)
	Transfer(ctx context.Context, slip int64) error
}

type Payroll struct {
	rdb      redis.UniversalClient
	salaries Salaries
}

// slipKey is held while a pay slip is paid.
func slipKey(slip int64) string { return fmt.Sprintf("payslip:%d:transfer", slip) }

func (p *Payroll) exclusive(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := p.rdb.SetNX(ctx, key, owner, 50*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, p.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	return fn(work)
}

// Pay is the button of the payroll clerk.
func (p *Payroll) Pay(ctx context.Context, slip int64) error {
	return p.exclusive(ctx, slipKey(slip), func(ctx context.Context) error { return p.pay(ctx, slip) })
}

func (p *Payroll) pay(ctx context.Context, slip int64) error {
	paid, err := p.salaries.Paid(ctx, slip)
	if err != nil || paid {
		return err
	}
	return p.salaries.Transfer(ctx, slip)
}

// Night pays what is left; the clerks work at the same time.
func (p *Payroll) Night(ctx context.Context) error {
	return p.exclusive(ctx, nightKey, func(ctx context.Context) error {
		slips, err := p.salaries.Unpaid(ctx)
		if err != nil {
			return err
		}
		for _, slip := range slips {
			if err := p.pay(ctx, slip); err != nil { // EXPECT: self-call
				return fmt.Errorf("slip %d: %w", slip, err)
			}
		}
		return nil
	})
}
