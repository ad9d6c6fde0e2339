// Package rotavalue plans the rota of a clinic.
package rotavalue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

type Plan interface {
	Fill(ctx context.Context, ward int64) error
	Swap(ctx context.Context, ward int64) error
}

type Rota struct {
	rs   *redsync.Redsync
	plan Plan
}

func New(rdb *redis.Client, plan Plan) *Rota {
	return &Rota{rs: redsync.New(goredis.NewPool(rdb)), plan: plan}
}

func wardKey(ward int64) string { return fmt.Sprintf("clinic:ward:%d:rota", ward) }

func swapKey(ward int64) string { return fmt.Sprintf("clinic:ward:%d:swap", ward) }

// hostValue lets the people on duty see in Redis which machine plans.
func hostValue() (string, error) { return os.Hostname() }

// Fill fills the rota of a ward.
func (r *Rota) Fill(ctx context.Context, ward int64) (err error) {
	m := r.rs.NewMutex(wardKey(ward), redsync.WithExpiry(30*time.Second), redsync.WithGenValueFunc(hostValue)) // ALSO-OK: constant-owner
	if err := m.LockContext(ctx); err != nil {                                                                 // EXPECT: constant-owner
		return fmt.Errorf("ward %d: %w", ward, err)
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	return r.plan.Fill(ctx, ward)
}

// Swap swaps two shifts. The library makes its own value here.
func (r *Rota) Swap(ctx context.Context, ward int64) (err error) {
	m := r.rs.NewMutex(swapKey(ward), redsync.WithExpiry(30*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("ward %d: %w", ward, err)
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	return r.plan.Swap(ctx, ward)
}

func unlock(ctx context.Context, m *redsync.Mutex) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	ok, err := m.UnlockContext(end)
	if err == nil && !ok {
		err = errors.New("lock was lost")
	}
	return err
}
