// Package frontdeskhttp is the web interface of a front desk.
package frontdeskhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("somebody else is at it")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Desk does the work.
type Desk interface {
	Ring(ctx context.Context, guest string) error
	Open(ctx context.Context, branch string) error
	Print(ctx context.Context, bill int64) error
	Count(ctx context.Context, tenant string) error
	Wake(ctx context.Context, room string) error
	Towel(ctx context.Context, pool int) error
}

type Server struct {
	rdb  redis.UniversalClient
	desk Desk
}

func (s *Server) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return errBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, s.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

func guestKey(guest string) string { return "frontdesk:guest:" + guest } // ALSO-OK: empty-key-part

// Ring handles POST /ring; the gateway names the guest.
func (s *Server) Ring(w http.ResponseWriter, r *http.Request) {
	guest := r.Header.Get("X-Guest")                                                                                   // EXPECT: empty-key-part
	reply(w, s.hold(r.Context(), guestKey(guest), func(ctx context.Context) error { return s.desk.Ring(ctx, guest) })) // ALSO-OK: empty-key-part
}

func branchKey(branch string) string { return "open-branch:" + branch } // ALSO-OK: empty-key-part

// Open handles POST /open?branch=north.
func (s *Server) Open(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	branch := q.Get("branch") // EXPECT: empty-key-part
	key := branchKey(branch)  // ALSO-OK: empty-key-part
	reply(w, s.hold(r.Context(), key, func(ctx context.Context) error { return s.desk.Open(ctx, branch) }))
}

func billKey(bill int64) string { return fmt.Sprintf("bill:%d:print", bill) } // ALSO-OK: empty-key-part

// Print handles POST /print?bill=12.
func (s *Server) Print(w http.ResponseWriter, r *http.Request) {
	bill, _ := strconv.ParseInt(r.FormValue("bill"), 10, 64)                                                         // EXPECT: empty-key-part
	reply(w, s.hold(r.Context(), billKey(bill), func(ctx context.Context) error { return s.desk.Print(ctx, bill) })) // ALSO-OK: empty-key-part
}

type tenantKey struct{}

func cashKey(tenant string) string { return "cashcount@" + tenant } // ALSO-OK: empty-key-part

// Count handles POST /count; a middleware puts the tenant into the context.
func (s *Server) Count(w http.ResponseWriter, r *http.Request) {
	tenant, _ := r.Context().Value(tenantKey{}).(string)                                                                 // EXPECT: empty-key-part
	reply(w, s.hold(r.Context(), cashKey(tenant), func(ctx context.Context) error { return s.desk.Count(ctx, tenant) })) // ALSO-OK: empty-key-part
}

func wakeKey(room string) string { return "wakeup/" + room } // ALSO-OK: empty-key-part

// Wake handles POST /wake with a body such as "room=blue-14"; rooms are numbered through.
func (s *Server) Wake(w http.ResponseWriter, r *http.Request) {
	_, room, _ := strings.Cut(r.FormValue("room"), "-")                                                             // EXPECT: empty-key-part
	reply(w, s.hold(r.Context(), wakeKey(room), func(ctx context.Context) error { return s.desk.Wake(ctx, room) })) // ALSO-OK: empty-key-part
}

func poolKey(pool int) string { return "pooltowel:" + strconv.Itoa(pool) } // ALSO-OK: empty-key-part

func number(text string) int {
	n, err := strconv.Atoi(text) // EXPECT: empty-key-part
	if err != nil {              // ALSO-OK: empty-key-part
		return 0
	}
	return n
}

// Towel handles POST /towel?pool=2.
func (s *Server) Towel(w http.ResponseWriter, r *http.Request) {
	pool := number(r.FormValue("pool"))                                                                              // ALSO-OK: empty-key-part
	reply(w, s.hold(r.Context(), poolKey(pool), func(ctx context.Context) error { return s.desk.Towel(ctx, pool) })) // ALSO-OK: empty-key-part
}

func reply(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errBusy):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, "not done", http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
