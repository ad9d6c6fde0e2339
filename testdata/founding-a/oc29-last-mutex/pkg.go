// EXPECT-NONE

// Package lastmutex trims the hedges of a park.
package lastmutex

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.test/foundinga/oc29-last-mutex/facade"
)

type Park struct {
	locks facade.Locker
	trim  func(ctx context.Context, hedge int64) error
}

func hedgeKey(hedge int64) string { return fmt.Sprintf("park:hedge:%d:trim", hedge) }

// ServeHTTP handles POST /trim?hedge=9.
func (p *Park) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	hedge, err := strconv.ParseInt(r.FormValue("hedge"), 10, 64)
	if err != nil {
		http.Error(w, "hedge required", http.StatusBadRequest)
		return
	}
	switch err := p.once(r.Context(), hedge); {
	case errors.Is(err, facade.ErrBusy):
		http.Error(w, "is being trimmed", http.StatusConflict)
	case err != nil:
		http.Error(w, "not trimmed", http.StatusInternalServerError)
	}
}

func (p *Park) once(ctx context.Context, hedge int64) (err error) {
	if err := p.locks.Lock(ctx, hedgeKey(hedge)); err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, p.locks.Unlock(end))
	}()
	return p.trim(ctx, hedge)
}
