package members

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

// longestReview is how long a person may sit on a request in the back office.
const longestReview = 5 * time.Hour

// guard locks a call on the value of one of its parameters.
type guard struct {
	spin  *lock.Spin
	param string
}

func (g guard) around(ctx context.Context, req any, work func(context.Context) error) error {
	if err := g.spin.With(ctx, lock.LimitKey(param(req, g.param)), 2*time.Second, work); err != nil {
		return ErrTryLater
	}
	return nil
}

// param reads a parameter by its name.
func param(req any, name string) string {
	v := reflect.ValueOf(req).FieldByName(name)
	if !v.IsValid() {
		return ""
	}
	return fmt.Sprint(v.Interface())
}

// lockedLimits runs one change at a time for each member.
type lockedLimits struct {
	next         Limits
	raise, lower guard
}

// NewLimits returns the limits with their locks in front.
func NewLimits(rows *store.Store, rdb redis.UniversalClient) Limits {
	spin := lock.NewSpin(rdb, longestReview)
	return &lockedLimits{
		next:  &limits{rows: rows},
		raise: guard{spin: spin, param: "UserID"},
		lower: guard{spin: spin, param: "MemberID"},
	}
}

func (d *lockedLimits) Raise(ctx context.Context, req RaiseRequest) error {
	return d.raise.around(ctx, req, func(ctx context.Context) error { return d.next.Raise(ctx, req) })
}

func (d *lockedLimits) Lower(ctx context.Context, req LowerRequest) error {
	return d.lower.around(ctx, req, func(ctx context.Context) error { return d.next.Lower(ctx, req) })
}

func (d *lockedLimits) RaiseAll(ctx context.Context, reqs []RaiseRequest) error {
	return d.next.RaiseAll(ctx, reqs)
}
