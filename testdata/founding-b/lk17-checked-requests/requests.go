// EXPECT-NONE

// Package checkedrequests takes the orders of a canteen.
package checkedrequests

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var (
	errBusy  = errors.New("somebody else is at it")
	errInput = errors.New("table, tray, cook or guest missing")
)

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Kitchen does the work.
type Kitchen interface {
	Serve(ctx context.Context, table int64) error
	Wash(ctx context.Context, tray string) error
	Cook(ctx context.Context, cook string) error
	Seat(ctx context.Context, guest string) error
	Count(ctx context.Context, till string) error
}

type Server struct {
	cli     redis.UniversalClient
	kitchen Kitchen
}

func (s *Server) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := s.cli.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return errBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, s.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

func tableKey(table int64) string { return fmt.Sprintf("canteen:table:%d", table) }

// Serve handles POST /serve?table=7.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request) {
	table, err := strconv.ParseInt(r.FormValue("table"), 10, 64)
	if err != nil {
		reply(w, errInput)
		return
	}
	reply(w, s.hold(r.Context(), tableKey(table), func(ctx context.Context) error { return s.kitchen.Serve(ctx, table) }))
}

// trayKey does not name a tray that has no name.
func trayKey(tray string) (string, error) {
	if tray == "" {
		return "", errInput
	}
	return "canteen:tray:" + tray, nil
}

// Wash handles POST /wash with the tray in a header.
func (s *Server) Wash(w http.ResponseWriter, r *http.Request) {
	tray := r.Header.Get("X-Tray")
	key, err := trayKey(tray)
	if err != nil {
		reply(w, err)
		return
	}
	reply(w, s.hold(r.Context(), key, func(ctx context.Context) error { return s.kitchen.Wash(ctx, tray) }))
}

type cookKey struct{}

func stoveKey(cook string) string { return "canteen:stove:" + cook }

// Cook handles POST /cook; a middleware has found out who cooks.
func (s *Server) Cook(w http.ResponseWriter, r *http.Request) {
	cook, ok := r.Context().Value(cookKey{}).(string)
	if !ok || cook == "" {
		reply(w, errInput)
		return
	}
	reply(w, s.hold(r.Context(), stoveKey(cook), func(ctx context.Context) error { return s.kitchen.Cook(ctx, cook) }))
}

func chairKey(guest string) string { return "canteen:chair:" + guest }

// guestOf reads "guest mary".
func guestOf(header string) (string, error) {
	kind, guest, ok := strings.Cut(header, " ")
	if !ok || kind != "guest" || guest == "" {
		return "", errInput
	}
	return guest, nil
}

// Seat handles POST /seat.
func (s *Server) Seat(w http.ResponseWriter, r *http.Request) {
	guest, err := guestOf(r.Header.Get("Authorization"))
	if err != nil {
		reply(w, err)
		return
	}
	reply(w, s.hold(r.Context(), chairKey(guest), func(ctx context.Context) error { return s.kitchen.Seat(ctx, guest) }))
}

func tillKey(till string) string { return "canteen:cash:" + till }

// Count handles POST /count?till=left.
func (s *Server) Count(w http.ResponseWriter, r *http.Request) {
	till := r.URL.Query().Get("till")
	switch till {
	case "left", "right":
	default:
		reply(w, errInput)
		return
	}
	reply(w, s.hold(r.Context(), tillKey(till), func(ctx context.Context) error { return s.kitchen.Count(ctx, till) }))
}

func reply(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errInput):
		http.Error(w, err.Error(), http.StatusBadRequest)
	case errors.Is(err, errBusy):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, "not done", http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
