// Package routeplan plans the stops of delivery routes.
package routeplan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"github.com/go-redsync/redsync/v4"
)

var errFull = errors.New("route is full")

// Plans keeps plans.
type Plans interface {
	Free(ctx context.Context, stop int64) (bool, error)
	Add(ctx context.Context, stop int64) error
}

// Planner plans.
type Planner struct {
	rs    *redsync.Redsync
	plans Plans
}

func (p *Planner) mutex(stop int64) *redsync.Mutex {
	return p.rs.NewMutex(fmt.Sprintf("route:stop:%d", stop), redsync.WithExpiry(15*time.Second), redsync.WithTries(3))
}

// Add takes all stops in order and keeps those of the rounds before where one fails.
func (p *Planner) Add(ctx context.Context, stops []int64) error {
	sort.Slice(stops, func(i, j int) bool { return stops[i] < stops[j] })
	var held []*redsync.Mutex
	for _, s := range stops {
		m := p.rs.NewMutex(fmt.Sprintf("route:stop:%d", s))
		if err := m.LockContext(ctx); err != nil {
			return err // EXPECT: leak-on-path
		}
		held = append(held, m)
		if ok, err := p.plans.Free(ctx, s); err != nil || !ok {
			return errFull // EXPECT: leak-on-path
		}
	}
	for _, m := range held {
		if ok, err := m.Unlock(); err != nil || !ok {
			return fmt.Errorf("route: %w", err) // EXPECT: leak-on-path
		}
	}
	return nil
}

// AddAll releases what it has in a defer, whatever happens.
func (p *Planner) AddAll(ctx context.Context, stops []int64) error {
	sort.Slice(stops, func(i, j int) bool { return stops[i] < stops[j] })
	var held []*redsync.Mutex
	defer func() {
		for _, m := range held {
			if _, err := m.Unlock(); err != nil {
				slog.Warn("route", "err", err)
			}
		}
	}()
	for _, s := range stops {
		m := p.mutex(s)
		if err := m.LockContext(ctx); err != nil {
			return err
		}
		held = append(held, m)
		if err := p.plans.Add(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// Swap is wrong in a closure, behind a method value.
func (p *Planner) Swap(ctx context.Context, stop int64) error {
	run := func() error {
		m := p.mutex(stop)
		if err := m.Lock(); err != nil {
			return err
		}
		unlock := m.Unlock
		ok, err := p.plans.Free(ctx, stop)
		if err != nil {
			return err // EXPECT: leak-on-path
		}
		if !ok {
			_, _ = unlock()
			return errFull
		}
		_, err = unlock()
		return err
	}
	return run()
}

// locked is generic and right; its caller is not.
func locked[T any](m *redsync.Mutex, get func() (T, error)) (out T, err error) {
	if err := m.Lock(); err != nil {
		return out, err
	}
	out, err = get()
	if err != nil {
		return out, err // EXPECT: leak-on-path
	}
	if _, err := m.Unlock(); err != nil {
		return out, err
	}
	return out, nil
}

// Look reads under the lock.
func (p *Planner) Look(ctx context.Context, stop int64) (bool, error) {
	return locked(p.mutex(stop), func() (bool, error) { return p.plans.Free(ctx, stop) })
}
