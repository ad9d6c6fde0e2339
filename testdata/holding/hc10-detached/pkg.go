// EXPECT-NONE

// Package detached releases on contexts that nothing ends.
package detached

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/bsm/redislock"
	"github.com/gin-gonic/gin"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"

	"example.test/holding/lease"
)

const hold = 2 * time.Minute

// Rooms is where bookings are kept.
type Rooms interface {
	Book(ctx context.Context, room string) error
}

// Desk books rooms.
type Desk struct {
	locks *redislock.Client
	own   *lease.Locker
	rs    *redsync.Redsync
	rdb   *redis.Client
	rooms Rooms
}

// Post detaches inline.
func (d *Desk) Post(w http.ResponseWriter, r *http.Request) {
	held, err := d.locks.Obtain(r.Context(), "detached:"+r.PathValue("room"), hold, nil)
	if err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(r.Context()), time.Second)
		defer stop()
		_ = held.Release(end)
	}()
	_ = d.rooms.Book(r.Context(), held.Key())
}

// Put hands the request's context to a helper that detaches inside.
func (d *Desk) Put(w http.ResponseWriter, r *http.Request) {
	held, err := d.own.Take(r.Context(), "detached:put", hold)
	if err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	defer held.Free(r.Context())
	_ = d.rooms.Book(r.Context(), "put")
}

// ending is a context for an end.
func ending(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Second)
}

// Patch takes the release's context from a helper.
func (d *Desk) Patch(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	held, err := d.own.Take(ctx, "detached:patch", hold)
	if err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	_ = d.rooms.Book(ctx, "patch")
	end, stop := ending(ctx)
	defer stop()
	if err := held.FreeOn(end); err != nil {
		slog.Warn("free", "err", err)
	}
}

// Gin hands on the framework's context, which nothing ends.
func (d *Desk) Gin(c *gin.Context) {
	held, err := d.own.Take(c, "detached:gin", hold)
	if err != nil {
		c.Status(http.StatusConflict)
		return
	}
	defer held.FreeOn(c)
	_ = d.rooms.Book(c.Request.Context(), "gin")
}

// Plain waits with the request and unlocks without a context.
func (d *Desk) Plain(w http.ResponseWriter, r *http.Request) {
	m := d.rs.NewMutex("detached:plain")
	if err := m.LockContext(r.Context()); err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	defer m.Unlock()
	_ = d.rooms.Book(r.Context(), "plain")
}

// Nightly runs on a context that nothing ends; the job is the only caller.
func (d *Desk) Nightly() { _ = d.nightly(context.Background()) }

func (d *Desk) nightly(ctx context.Context) error {
	held, err := d.own.Take(ctx, "detached:nightly", hold)
	if err != nil {
		return err
	}
	defer held.FreeOn(ctx)
	return d.rooms.Book(ctx, "nightly")
}

// Cancel cancels the work at the end, after the release.
func (d *Desk) Cancel() error {
	work, cancel := context.WithCancel(context.Background())
	defer cancel()
	held, err := d.own.Take(work, "detached:cancel", hold)
	if err != nil {
		return err
	}
	defer held.FreeOn(work)
	return d.rooms.Book(work, "cancel")
}

// Valued carries values and detaches first.
func (d *Desk) Valued(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithValue(context.WithoutCancel(r.Context()), d, 1)
	held, err := d.own.Take(ctx, "detached:valued", hold)
	if err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	_ = errors.Join(d.rooms.Book(r.Context(), "valued"), held.FreeOn(ctx))
}
