// Package cardcapture takes the money that a card has reserved.
package cardcapture

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("payment is being captured")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Acquirer talks to the card network.
type Acquirer interface {
	Captured(ctx context.Context, payment int64) (bool, error)
	Capture(ctx context.Context, payment int64) error
	Reset(ctx context.Context, payment int64) error
}

type Server struct {
	acquirer Acquirer
	mux      *http.ServeMux
}

func paymentKey(payment int64) string { return fmt.Sprintf("capture:payment:%d", payment) }

func hold(ctx context.Context, rdb redis.UniversalClient, key string, fn func(context.Context)) (err error) {
	owner := uuid.NewString()
	ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return errBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	fn(work)
	return nil
}

// perPayment is middleware: one request per payment at a time.
func perPayment(rdb redis.UniversalClient, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		payment, err := strconv.ParseInt(r.PathValue("payment"), 10, 64)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		err = hold(r.Context(), rdb, paymentKey(payment), func(ctx context.Context) { next(w, r.WithContext(ctx)) })
		switch {
		case errors.Is(err, errBusy):
			http.Error(w, err.Error(), http.StatusConflict)
		case err != nil:
			slog.ErrorContext(r.Context(), "lock of payment", "payment", payment, "err", err)
			http.Error(w, "try again later", http.StatusServiceUnavailable)
		}
	}
}

// New returns the server with its routes.
func New(acquirer Acquirer, rdb redis.UniversalClient) *Server {
	s := &Server{acquirer: acquirer, mux: http.NewServeMux()}
	s.mux.HandleFunc("POST /payments/{payment}/capture", perPayment(rdb, s.capture))
	s.mux.HandleFunc("POST /payments/{payment}/retry", s.retry)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) capture(w http.ResponseWriter, r *http.Request) {
	payment, err := strconv.ParseInt(r.PathValue("payment"), 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	done, err := s.acquirer.Captured(r.Context(), payment)
	if err == nil && !done {
		err = s.acquirer.Capture(r.Context(), payment)
	}
	if err != nil {
		http.Error(w, "not captured", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// retry is the button of the support team.
func (s *Server) retry(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Support") == "" {
		http.Error(w, "support only", http.StatusForbidden)
		return
	}
	s.capture(w, r) // EXPECT: self-call
}
