// EXPECT-NONE

// Package request makes a mutex for every request, or lets requests come one by one.
package request

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/go-redsync/redsync/v4"
)

func menuKey(path string) string { return "menu:" + path }

// Kitchen serves menus.
type Kitchen struct {
	rs   *redsync.Redsync
	gate sync.Mutex
	day  *redsync.Mutex
	cook func(context.Context) error
}

// New makes a kitchen.
func New(rs *redsync.Redsync, cook func(context.Context) error) *Kitchen {
	return &Kitchen{rs: rs, day: rs.NewMutex("menu-day"), cook: cook}
}

type dish struct{ mu *redsync.Mutex }

// Dish cooks one dish, with a mutex of its own.
func (k *Kitchen) Dish(w http.ResponseWriter, r *http.Request) {
	d := &dish{mu: k.rs.NewMutex(menuKey(r.URL.Path))}
	if err := d.serve(r.Context(), k.cook); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (d *dish) serve(ctx context.Context, cook func(context.Context) error) error {
	if err := d.mu.LockContext(ctx); err != nil {
		return err
	}
	err := cook(ctx)
	_, uerr := d.mu.UnlockContext(context.WithoutCancel(ctx))
	return errors.Join(err, uerr)
}

// Day plans the day; the gate lets one request at a time use the mutex.
func (k *Kitchen) Day(w http.ResponseWriter, r *http.Request) {
	k.gate.Lock()
	defer k.gate.Unlock()
	if err := k.day.LockContext(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	err := k.cook(r.Context())
	_, uerr := k.day.UnlockContext(context.WithoutCancel(r.Context()))
	if err := errors.Join(err, uerr); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
