// Package desk checks members in.
package desk

import (
	"context"
	"time"

	"example.test/gym/lock"
)

// Desk is the front desk.
type Desk struct {
	locks *lock.Locker
	visit func(ctx context.Context, member string) error
}

// checkInKey is the one place that knows the key of a check-in.
func checkInKey(member string) string { return "gym:check-in:" + member }

// CheckIn counts a visit, once. The member waits for five hours if the desk dies here.
func (d *Desk) CheckIn(ctx context.Context, member string) error {
	return d.locks.With(ctx, checkInKey(member), 5*time.Hour, func(ctx context.Context) error { // EXPECT: long-ttl
		return d.visit(ctx, member)
	})
}

// CheckOut is as quick as it looks, and so is its lease.
func (d *Desk) CheckOut(ctx context.Context, member string) error {
	return d.locks.With(ctx, checkInKey(member), 30*time.Second, func(ctx context.Context) error {
		return d.visit(ctx, member)
	})
}
