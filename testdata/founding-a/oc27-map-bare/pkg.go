// EXPECT-NONE

// Package mapbare paints the walls of a gallery; every request runs in a goroutine of its own.
package mapbare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc27-map-bare/keyed"
)

type wall int64

func wallKey(w wall) string { return fmt.Sprintf("gallery:wall:%d:paint", int64(w)) }

type Gallery struct {
	walls keyed.Locker[wall]
	paint func(ctx context.Context, wall int64) error
}

func New(rdb *redis.Client, paint func(context.Context, int64) error) *Gallery {
	return &Gallery{walls: keyed.New(rdb, wallKey), paint: paint}
}

// ServeHTTP handles POST /paint?wall=4.
func (g *Gallery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.FormValue("wall"), 10, 64)
	if err != nil {
		http.Error(w, "wall required", http.StatusBadRequest)
		return
	}
	switch err := g.once(r.Context(), wall(id)); {
	case errors.Is(err, keyed.ErrLocked):
		http.Error(w, "is being painted", http.StatusConflict)
	case err != nil:
		http.Error(w, "not painted", http.StatusInternalServerError)
	}
}

func (g *Gallery) once(ctx context.Context, w wall) (err error) {
	if err := g.walls.Lock(ctx, w, 30*time.Second); err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, g.walls.Unlock(end, w))
	}()
	return g.paint(ctx, int64(w))
}
