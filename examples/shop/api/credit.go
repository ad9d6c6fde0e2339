package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
)

// CreditRequest moves an amount out of, or back into, a member's account.
type CreditRequest struct {
	Member string
	Amount int64
}

// Deduct takes an amount from a member.
func (s *Service) Deduct(ctx context.Context, req CreditRequest) (err error) {
	if req.Member == "" {
		return errNoID
	}
	key, token := lock.CreditKey(req.Member), uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, token, lease).Result()
	if err != nil {
		return fmt.Errorf("deduct from %s: %w", req.Member, err)
	}
	if !ok {
		return lock.ErrBusy
	}
	defer func() { err = errors.Join(err, s.release(ctx, key, token)) }()

	work, cancel := context.WithTimeout(ctx, longestWork)
	defer cancel()
	account, err := s.rows.Account(work, req.Member)
	if err != nil {
		return err
	}
	limit, err := s.rows.Limit(work, req.Member)
	if err != nil {
		return err
	}
	if account.Balance+limit.Amount < req.Amount {
		return errNoCredit
	}
	account.Balance -= req.Amount
	return s.rows.ChangeAccount(work, account)
}

// Refund gives an amount back to a member.
func (s *Service) Refund(ctx context.Context, req CreditRequest) error {
	if req.Member == "" {
		return errNoID
	}
	key := fmt.Sprintf("credit:member:%s", req.Member)
	ok, err := s.rdb.SetNX(ctx, key, "1", lease).Result()
	if err != nil || !ok {
		return lock.ErrBusy
	}
	defer s.rdb.Del(ctx, key)

	account, err := s.rows.Account(ctx, req.Member)
	if err != nil {
		return err
	}
	account.Balance += req.Amount
	return s.rows.SaveAccount(ctx, account)
}
