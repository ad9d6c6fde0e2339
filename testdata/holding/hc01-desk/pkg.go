// Package desk releases on contexts that have ended by then.
package desk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bsm/redislock"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"

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

func roomKey(room string) string { return "desk:room:" + room }

// Routes wires the handlers.
func (d *Desk) Routes(r chi.Router, g *gin.Engine) {
	r.Post("/rooms/{room}", d.post)
	g.POST("/rooms/:room", d.ginPost)
}

func (d *Desk) post(w http.ResponseWriter, r *http.Request) {
	held, err := d.locks.Obtain(r.Context(), roomKey(chi.URLParam(r, "room")), hold, nil)
	if err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	defer held.Release(r.Context()) // EXPECT: release-on-request-ctx
	if err := d.rooms.Book(r.Context(), held.Key()); err != nil {
		http.Error(w, "failed", http.StatusInternalServerError)
	}
}

func (d *Desk) ginPost(c *gin.Context) {
	if err := d.book(c.Request.Context(), c.Param("room")); err != nil {
		c.Status(http.StatusConflict)
	}
}

func (d *Desk) book(ctx context.Context, room string) (err error) {
	held, err := d.own.Take(ctx, roomKey(room), hold)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, held.FreeOn(ctx)) // EXPECT: release-on-request-ctx
	}()
	return d.rooms.Book(ctx, room)
}

// Call is a gRPC stream's handler.
func (d *Desk) Call(_ any, stream grpc.ServerStream) error {
	ctx := stream.Context()
	m := d.rs.NewMutex("desk:call", redsync.WithExpiry(hold))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	err := d.rooms.Book(ctx, "call")
	if ok, uerr := m.UnlockContext(ctx); !ok || uerr != nil { // EXPECT: release-on-request-ctx
		return errors.Join(err, uerr)
	}
	return err
}

// Work gives the release the timeout that the whole work has.
func (d *Desk) Work(room string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	held, err := d.own.Wait(ctx, roomKey(room), hold)
	if err != nil {
		return err
	}
	defer held.FreeOn(ctx) // EXPECT: release-on-request-ctx
	return d.rooms.Book(ctx, room)
}

// Early makes the release's own timeout before the work.
func (d *Desk) Early(room string) error {
	held, err := d.own.Take(context.Background(), roomKey(room), hold)
	if err != nil {
		return err
	}
	end, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	defer held.FreeOn(end) // EXPECT: release-on-request-ctx
	return d.rooms.Book(context.Background(), room)
}

// Cancelled cancels, and then releases on what it cancelled.
func (d *Desk) Cancelled(room string) error {
	work, cancel := context.WithCancel(context.Background())
	held, err := d.own.Take(work, roomKey(room), hold)
	if err != nil {
		cancel()
		return err
	}
	err = d.rooms.Book(work, room)
	cancel()
	return errors.Join(err, held.FreeOn(work)) // EXPECT: release-on-request-ctx
}

// Group releases on the context of a group that has ended.
func (d *Desk) Group(rooms []string) error {
	g, ctx := errgroup.WithContext(context.Background())
	held, err := d.own.Take(ctx, "desk:group", hold)
	if err != nil {
		return err
	}
	for _, room := range rooms {
		g.Go(func() error { return d.rooms.Book(ctx, room) })
	}
	err = g.Wait()
	return errors.Join(err, held.FreeOn(ctx)) // EXPECT: release-on-request-ctx
}

// ticket keeps the context that it was made with.
type ticket struct {
	ctx      context.Context
	rdb      *redis.Client
	key, own string
}

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (t *ticket) done() {
	drop.Run(t.ctx, t.rdb, []string{t.key}, t.own) // EXPECT: release-on-request-ctx
}

func take(ctx context.Context, rdb *redis.Client, room string) (*ticket, error) {
	t := &ticket{ctx: ctx, rdb: rdb, key: roomKey(room), own: uuid.NewString()}
	ok, err := rdb.SetNX(ctx, t.key, t.own, hold).Result()
	if err != nil || !ok {
		return nil, fmt.Errorf("room %s: %w", room, err)
	}
	return t, nil
}

// ServeHTTP books by ticket.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, err := take(r.Context(), d.rdb, r.PathValue("room"))
	if err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	defer t.done() // ALSO-OK: release-on-request-ctx
	_ = d.rooms.Book(r.Context(), t.key)
}

// Guarded is a helper that acquires and releases on its own parameter.
func Guarded[T any](ctx context.Context, d *Desk, room string, fn func() (T, error)) (out T, err error) {
	own := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, roomKey(room), own, hold).Result()
	if err != nil || !ok {
		return out, errors.Join(err, errors.New("busy"))
	}
	defer drop.Run(ctx, d.rdb, []string{roomKey(room)}, own) // EXPECT: release-on-request-ctx
	return fn()
}
