// EXPECT-NONE

// Package ballotboxes takes the results of polling stations.
package ballotboxes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("station is being entered")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Results stores what stations have counted.
type Results interface {
	Entered(ctx context.Context, station int64) (bool, error)
	Enter(ctx context.Context, station, votes int64) error
}

type Server struct {
	results Results
	enter   http.HandlerFunc // with the lock in front
}

func stationKey(station int64) string { return fmt.Sprintf("ballot:station:%d", station) }

func perStation(rdb redis.UniversalClient, next http.HandlerFunc) http.HandlerFunc {
	run := func(w http.ResponseWriter, r *http.Request, station int64) (err error) {
		ctx, key, owner := r.Context(), stationKey(station), uuid.NewString()
		ok, err := rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !ok {
			return errBusy
		}
		defer func() {
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer stop()
			err = errors.Join(err, unlock.Run(end, rdb, []string{key}, owner).Err())
		}()
		work, cancel := context.WithTimeout(ctx, 15*time.Second)
		defer cancel()
		next(w, r.WithContext(work))
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) {
		station, err := strconv.ParseInt(r.PathValue("station"), 10, 64)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		switch err := run(w, r, station); {
		case errors.Is(err, errBusy):
			http.Error(w, err.Error(), http.StatusConflict)
		case err != nil:
			http.Error(w, "try again later", http.StatusServiceUnavailable)
		}
	}
}

// New returns a server.
func New(results Results, rdb redis.UniversalClient) *Server {
	s := &Server{results: results}
	s.enter = perStation(rdb, s.put)
	return s
}

// Routes are what stations and observers see.
func (s *Server) Routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /stations/{station}", s.enter)
	mux.HandleFunc("POST /stations/{station}/again", s.again)
	return mux
}

func (s *Server) put(w http.ResponseWriter, r *http.Request) {
	station, err := strconv.ParseInt(r.PathValue("station"), 10, 64)
	votes, verr := strconv.ParseInt(r.FormValue("votes"), 10, 64)
	if err != nil || verr != nil {
		http.Error(w, "station and votes required", http.StatusBadRequest)
		return
	}
	done, err := s.results.Entered(r.Context(), station)
	if err == nil && !done {
		err = s.results.Enter(r.Context(), station, votes)
	}
	if err != nil {
		http.Error(w, "not entered", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// again is for stations whose first try failed; it goes the same way.
func (s *Server) again(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Second-Try", "1")
	s.enter(w, r)
}
