package members

import (
	"context"
	"errors"
	"fmt"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

var (
	// ErrNoCase refuses a decision that names no case.
	ErrNoCase = errors.New("members: a decision needs a case")
	// ErrDecided says that the case was decided before.
	ErrDecided = errors.New("members: case is decided")
)

// DecideRequest decides a case.
type DecideRequest struct {
	CaseID string
	State  string
}

// Reviews decides cases.
type Reviews interface {
	Decide(ctx context.Context, req DecideRequest) error
}

type reviews struct{ rows *store.Store }

//leasevet:external-only all cases of a day go through ReviewDay, which is given the locked Reviews
func (r *reviews) Decide(ctx context.Context, req DecideRequest) error {
	c, err := r.rows.Case(ctx, req.CaseID)
	if err != nil {
		return err
	}
	if c.State != "open" {
		return ErrDecided
	}
	c.State = req.State
	return r.rows.ChangeCase(ctx, c)
}

// lockedReviews decides one case at a time; a second reviewer is told that somebody is at it.
type lockedReviews struct {
	next  Reviews
	locks *lock.Owned
}

// NewReviews returns the reviews with their lock in front.
func NewReviews(rows *store.Store, locks *lock.Owned) Reviews {
	return &lockedReviews{next: &reviews{rows: rows}, locks: locks}
}

func (d *lockedReviews) Decide(ctx context.Context, req DecideRequest) error {
	if req.CaseID == "" {
		return ErrNoCase
	}
	return d.locks.With(ctx, lock.CaseKey(req.CaseID), 0, func(ctx context.Context) error {
		return d.next.Decide(ctx, req)
	})
}

// ReviewDay decides many cases. It stands outside of Reviews so that each case passes the lock.
type ReviewDay struct{ reviews Reviews }

// NewReviewDay takes the locked reviews.
func NewReviewDay(reviews Reviews) *ReviewDay { return &ReviewDay{reviews: reviews} }

// DecideAll decides each case and leaves out those that a reviewer has open.
func (r *ReviewDay) DecideAll(ctx context.Context, reqs []DecideRequest) (skipped int, err error) {
	for _, req := range reqs {
		err := r.reviews.Decide(ctx, req)
		if errors.Is(err, lock.ErrBusy) {
			skipped++
			continue
		}
		if err != nil {
			return skipped, fmt.Errorf("case %s: %w", req.CaseID, err)
		}
	}
	return skipped, nil
}
