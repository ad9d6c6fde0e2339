// Package nighttrains runs trains.
package nighttrains

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"

	"example.test/acquiring/aq05-night-trains/rail"
)

var ErrLater = errors.New("later")

type Trains struct {
	tracks *rail.Tracks
	rs     *redsync.Redsync
	run    func(ctx context.Context, track string) error
}

func give(ctx context.Context, l *redislock.Lock) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if err := l.Release(end); err != nil {
		slog.Warn("track stays closed", "err", err)
	}
}

// Freight asks the helper's own sentinel, and is right.
func (t *Trains) Freight(ctx context.Context, track string) error {
	leave, err := t.tracks.Enter(ctx, track)
	if errors.Is(err, rail.ErrOccupied) {
		return ErrLater
	}
	if err != nil {
		return err
	}
	defer leave()
	return t.run(ctx, track)
}

// Mail asks by a function, and is right.
func (t *Trains) Mail(ctx context.Context, track string) error {
	leave, err := t.tracks.Enter(ctx, track)
	if err != nil {
		if rail.IsOccupied(err) {
			return ErrLater
		}
		return err
	}
	defer leave()
	return t.run(ctx, track)
}

// Express throws away what the helper took care to tell.
func (t *Trains) Express(ctx context.Context, track string) error {
	leave, err := t.tracks.Enter(ctx, track)
	if err != nil { // EXPECT: error-conflated
		return ErrLater
	}
	defer leave()
	return t.run(ctx, track)
}

// Local cannot know better.
func (t *Trains) Local(ctx context.Context, track string) error {
	leave := t.tracks.EnterQuietly(ctx, track)
	if leave == nil {
		return ErrLater
	}
	defer leave()
	return t.run(ctx, track)
}

// Sleeper cannot either.
func (t *Trains) Sleeper(ctx context.Context, track string) error {
	lock, err := t.tracks.Obtain(ctx, track)
	if err != nil {
		return err
	}
	defer give(ctx, lock)
	return t.run(ctx, track)
}

// Typed hands on an error that still matches.
func (t *Trains) Typed(ctx context.Context, track string) error {
	lock, err := t.tracks.ObtainTyped(ctx, track)
	if err != nil {
		return err
	}
	defer give(ctx, lock)
	return t.run(ctx, track)
}

// Shunt is a job whose any failure is "another one runs".
func (t *Trains) Shunt(ctx context.Context) {
	m := t.rs.NewMutex("rail:shunting")
	if err := m.LockContext(ctx); err != nil { // EXPECT: error-conflated
		slog.Info("another engine is shunting")
		return
	}
	defer m.Unlock()
	if err := t.run(ctx, "yard"); err != nil {
		slog.Error("shunting", "err", err)
	}
}

// ServeHTTP answers 409 whatever happened.
func (t *Trains) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m := t.rs.NewMutex("rail:depot")
	if err := m.TryLockContext(r.Context()); err != nil { // EXPECT: error-conflated
		http.Error(w, "depot is busy", http.StatusConflict)
		return
	}
	defer m.Unlock()
	if err := t.run(r.Context(), "depot"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// Couple tells them apart by the library's own errors.
func (t *Trains) Couple(w http.ResponseWriter, r *http.Request) {
	m := t.rs.NewMutex("rail:depot")
	var taken *redsync.ErrTaken
	switch err := m.TryLockContext(r.Context()); {
	case errors.As(err, &taken):
		http.Error(w, "depot is busy", http.StatusConflict)
		return
	case err != nil:
		http.Error(w, "no answer", http.StatusServiceUnavailable)
		return
	}
	defer m.Unlock()
	if err := t.run(r.Context(), "depot"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
