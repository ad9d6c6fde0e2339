// Package podowner renders the tiles of a map.
package podowner

import (
	"fmt"
	"net/http"
	"os"
	"strconv"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc21-pod-owner/region"
)

// Config comes from the environment.
type Config struct{ Pod, Redis string }

func FromEnv() Config {
	return Config{Pod: os.Getenv("POD_NAME"), Redis: os.Getenv("TILES_REDIS")}
}

type Server struct{ regions *region.Locker }

func New(c Config) *Server {
	rdb := redis.NewClient(&redis.Options{Addr: c.Redis})
	return &Server{regions: region.NewLocker(rdb, c.Pod)} // ALSO-OK: constant-owner
}

// Render handles POST /render?region=3.
func (s *Server) Render(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.FormValue("region"))
	if err != nil {
		http.Error(w, "region required", http.StatusBadRequest)
		return
	}
	h, err := s.regions.Take(r.Context(), n)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer h.Give(r.Context())
	fmt.Fprintln(w, "rendered", n)
}
