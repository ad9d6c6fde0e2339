// Package api answers the shop's requests: credit, quotas, reviews and settlement.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

const (
	lease       = 30 * time.Second
	longestWork = 10 * time.Second
)

var (
	errNoID     = errors.New("api: the request names nobody")
	errNoCredit = errors.New("api: not enough credit")
	errNoQuota  = errors.New("api: quota is used up")
	errDecided  = errors.New("api: case is decided")
)

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`)

// Service answers requests. Its locks are taken on the Redis client itself.
type Service struct {
	rows *store.Store
	rdb  redis.UniversalClient
}

// New returns the service; rdb is the client for locks.
func New(rows *store.Store, rdb redis.UniversalClient) *Service {
	return &Service{rows: rows, rdb: rdb}
}

// Handler returns the routes.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /credit/deduct", answer(s.Deduct))
	mux.HandleFunc("POST /credit/refund", answer(s.Refund))
	mux.HandleFunc("POST /quota/reserve", answer(s.Reserve))
	mux.HandleFunc("POST /case/approve", answer(s.Approve))
	mux.HandleFunc("POST /settlement/close", answer(s.Settle))
	return mux
}

func answer[T any](do func(context.Context, T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var req T
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := do(r.Context(), req); err != nil {
			http.Error(w, err.Error(), status(err))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func status(err error) int {
	switch {
	case errors.Is(err, lock.ErrBusy), errors.Is(err, store.ErrStale), errors.Is(err, errDecided):
		return http.StatusConflict
	case errors.Is(err, errNoID), errors.Is(err, errNoCredit), errors.Is(err, errNoQuota):
		return http.StatusUnprocessableEntity
	case errors.Is(err, store.ErrNoRow):
		return http.StatusNotFound
	}
	return http.StatusServiceUnavailable
}

// release gives a key back if the token still owns it, also when the request has ended.
func (s *Service) release(ctx context.Context, key, token string) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	n, err := compareAndDelete.Run(end, s.rdb, []string{key}, token).Int()
	if err != nil {
		return err
	}
	if n == 0 {
		return lock.ErrLost
	}
	return nil
}
