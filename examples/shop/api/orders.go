package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
)

// QuotaRequest reserves offers for a member.
type QuotaRequest struct {
	Member string
	Count  int64
}

// Reserve takes offers out of a member's quota.
func (s *Service) Reserve(ctx context.Context, req QuotaRequest) error {
	if req.Member == "" {
		return errNoID
	}
	key, token := lock.QuotaKey(req.Member), uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, token, lease).Result()
	if err == nil && !ok {
		return lock.ErrBusy
	}
	if ok {
		defer s.release(ctx, key, token)
	}

	quota, err := s.rows.Quota(ctx, req.Member)
	if err != nil {
		return err
	}
	if quota.Left < req.Count {
		return errNoQuota
	}
	quota.Left -= req.Count
	return s.rows.SaveQuota(ctx, quota)
}

// CaseRequest approves a case.
type CaseRequest struct{ Case string }

// Approve approves an open case; the reviewer is told when a colleague is at it.
func (s *Service) Approve(ctx context.Context, req CaseRequest) (err error) {
	if req.Case == "" {
		return errNoID
	}
	key, token := lock.CaseKey(req.Case), uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, token, lease).Result()
	if err != nil {
		return fmt.Errorf("approve %s: %w", req.Case, err)
	}
	if !ok {
		return lock.ErrBusy
	}
	defer func() { err = errors.Join(err, s.release(ctx, key, token)) }()

	work, cancel := context.WithTimeout(ctx, longestWork)
	defer cancel()
	c, err := s.rows.Case(work, req.Case)
	if err != nil {
		return err
	}
	if c.State != "open" {
		return errDecided
	}
	c.State = "approved"
	return s.rows.ChangeCase(work, c)
}

// SettleRequest settles a merchant by hand.
type SettleRequest struct{ Merchant string }

// Settle moves what a merchant has earned from open to settled before the night does.
func (s *Service) Settle(ctx context.Context, req SettleRequest) (err error) {
	if req.Merchant == "" {
		return errNoID
	}
	key, token := "setle:merchant:"+req.Merchant, uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, token, lease).Result()
	if err != nil {
		return fmt.Errorf("settle %s: %w", req.Merchant, err)
	}
	if !ok {
		return lock.ErrBusy
	}
	defer func() { err = errors.Join(err, s.release(ctx, key, token)) }()

	work, cancel := context.WithTimeout(ctx, longestWork)
	defer cancel()
	row, err := s.rows.Settlement(work, req.Merchant)
	if err != nil {
		return err
	}
	row.Open, row.Settled = 0, row.Settled+row.Open
	return s.rows.SaveSettlement(work, row)
}
