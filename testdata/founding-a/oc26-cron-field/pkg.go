// Package cronfield settles the tolls of a bridge.
package cronfield

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc26-cron-field/lock"
)

func settleKey() string { return "bridge:toll:settle" }

// Settler has one lock for the timer and for everybody who presses the button.
type Settler struct {
	lock   *lock.Lock
	settle func(ctx context.Context) error
}

func NewSettler(rdb *redis.Client, settle func(context.Context) error) *Settler {
	return &Settler{lock: lock.New(rdb, settleKey(), 40*time.Second), settle: settle}
}

var errSettling = errors.New("is being settled")

func (s *Settler) once(ctx context.Context) (err error) {
	ok, err := s.lock.Acquire(ctx) // ALSO-OK: owner-overwritten
	if err != nil {
		return err
	}
	if !ok {
		return errSettling
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, s.lock.Release(end))
	}()
	return s.settle(ctx)
}

// Run settles every ten minutes.
func (s *Settler) Run(ctx context.Context) {
	tick := time.NewTicker(10 * time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.once(ctx); err != nil {
				slog.Warn("settle", "err", err)
			}
		}
	}
}

// ServeHTTP settles now.
func (s *Settler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch err := s.once(r.Context()); {
	case errors.Is(err, errSettling):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, "not settled", http.StatusInternalServerError)
	}
}
