// Package members keeps the credit limits of members and the reviews that go with them.
package members

import (
	"context"
	"errors"
	"fmt"

	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

var (
	// ErrTryLater asks a user to come back.
	ErrTryLater = errors.New("members: please try again later")
	// ErrWrongWay says that a limit was to be raised below, or lowered above, what it is.
	ErrWrongWay = errors.New("members: limit would move the wrong way")
)

// RaiseRequest asks for a higher limit.
type RaiseRequest struct {
	MemberID string
	To       int64
}

// LowerRequest asks for a lower limit.
type LowerRequest struct {
	MemberID string
	To       int64
}

// Limits changes credit limits.
type Limits interface {
	Raise(ctx context.Context, req RaiseRequest) error
	Lower(ctx context.Context, req LowerRequest) error
	RaiseAll(ctx context.Context, reqs []RaiseRequest) error
}

type limits struct{ rows *store.Store }

func (l *limits) Raise(ctx context.Context, req RaiseRequest) error {
	limit, err := l.rows.Limit(ctx, req.MemberID)
	if err != nil {
		return err
	}
	if req.To <= limit.Amount {
		return ErrWrongWay
	}
	limit.Amount = req.To
	return l.rows.SaveLimit(ctx, limit)
}

func (l *limits) Lower(ctx context.Context, req LowerRequest) error {
	limit, err := l.rows.Limit(ctx, req.MemberID)
	if err != nil {
		return err
	}
	if req.To >= limit.Amount {
		return ErrWrongWay
	}
	limit.Amount = req.To
	return l.rows.SaveLimit(ctx, limit)
}

func (l *limits) RaiseAll(ctx context.Context, reqs []RaiseRequest) error {
	for _, req := range reqs {
		if err := l.Raise(ctx, req); err != nil {
			return fmt.Errorf("raise %s: %w", req.MemberID, err)
		}
	}
	return nil
}
