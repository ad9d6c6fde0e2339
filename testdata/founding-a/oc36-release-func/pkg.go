// Package releasefunc reserves the tables of a restaurant.
package releasefunc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/oc36-release-func/reserve"
)

var ErrTable = errors.New("table is being set")

type Waiter interface {
	Set(ctx context.Context, table int64) error
	Clear(ctx context.Context, table int64) error
}

type Room struct {
	res *reserve.Reserver
	w   Waiter
}

func tableKey(table int64) string { return fmt.Sprintf("restaurant:table:%d", table) }

// Set sets a table.
func (r *Room) Set(ctx context.Context, table int64) error {
	free, ok, err := r.res.Try(ctx, tableKey(table), 30*time.Second)
	defer free() // EXPECT: release-not-acquired
	if err != nil {
		return fmt.Errorf("table %d: %w", table, err)
	}
	if !ok {
		return ErrTable
	}
	return r.w.Set(ctx, table)
}

// Clear clears a table.
func (r *Room) Clear(ctx context.Context, table int64) error {
	free, ok, err := r.res.Try(ctx, tableKey(table), 30*time.Second)
	if err != nil {
		return fmt.Errorf("table %d: %w", table, err)
	}
	if !ok {
		return ErrTable
	}
	defer free()
	return r.w.Clear(ctx, table)
}
