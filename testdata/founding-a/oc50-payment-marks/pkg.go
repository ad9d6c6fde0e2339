// EXPECT-NONE

// Package paymentmarks takes every payment once.
package paymentmarks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrInProgress = errors.New("payment is in progress")

// remember is how long a client may repeat a request.
const remember = 24 * time.Hour

type Bank interface {
	Charge(ctx context.Context, payment int64) (receipt string, err error)
}

type Payments struct {
	rdb  *redis.Client
	bank Bank
}

func onceKey(payment int64) string { return fmt.Sprintf("payment:%d:once", payment) }

// Pay charges a payment, or returns the receipt of the charge that was made before.
func (p *Payments) Pay(ctx context.Context, payment int64) (string, error) {
	first, err := p.rdb.SetNX(ctx, onceKey(payment), "processing", remember).Result()
	if err != nil {
		return "", fmt.Errorf("payment %d: %w", payment, err)
	}
	if !first {
		return p.receipt(ctx, payment)
	}
	receipt, err := p.bank.Charge(ctx, payment)
	if err != nil {
		// Nothing was charged: the client may try again.
		return "", errors.Join(err, p.undo(ctx, payment))
	}
	return receipt, p.rdb.Set(ctx, onceKey(payment), "receipt:"+receipt, remember).Err()
}

func (p *Payments) receipt(ctx context.Context, payment int64) (string, error) {
	s, err := p.rdb.Get(ctx, onceKey(payment)).Result()
	if err != nil {
		return "", err
	}
	if s == "processing" {
		return "", ErrInProgress
	}
	return s[len("receipt:"):], nil
}

func (p *Payments) undo(ctx context.Context, payment int64) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return p.rdb.Del(end, onceKey(payment)).Err()
}
