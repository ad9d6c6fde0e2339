// EXPECT-NONE

// Package hostowner reindexes the articles of a magazine.
package hostowner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.test/foundinga/oc16-host-owner/mutex"
)

type Index interface {
	Build(ctx context.Context, article int64) error
}

type Server struct {
	mu    mutex.Mutex
	index Index
}

func New(mu mutex.Mutex, index Index) *Server { return &Server{mu: mu, index: index} }

func articleKey(id int64) string { return fmt.Sprintf("magazine:article:%d:index", id) }

// ServeHTTP handles POST /reindex?article=7; a machine serves many requests at once.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.FormValue("article"), 10, 64)
	if err != nil {
		http.Error(w, "article required", http.StatusBadRequest)
		return
	}
	switch err := s.reindex(r.Context(), id); {
	case errors.Is(err, mutex.ErrTaken):
		http.Error(w, "is being indexed", http.StatusConflict)
	case err != nil:
		http.Error(w, "not indexed", http.StatusInternalServerError)
	}
}

func (s *Server) reindex(ctx context.Context, id int64) (err error) {
	if err := s.mu.Acquire(ctx, articleKey(id), 20*time.Second); err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, s.mu.Release(end, articleKey(id)))
	}()
	return s.index.Build(ctx, id)
}
