// Package ferrydesk sells places on ferries, and tells apart what is different, in many ways.
package ferrydesk

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	goredis "github.com/redis/go-redis/v9"
)

var giveBack = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

var (
	ErrBusy = errors.New("busy")
	ErrDown = errors.New("down")
)

type kind int

const (
	held kind = iota
	busy
	down
)

type Err struct {
	Code kind
	Err  error
}

func (e *Err) Error() string { return "x" }

type S struct {
	rdb     *goredis.Client
	locks   *redislock.Client
	rs      *redsync.Redsync
	work    func(ctx context.Context, id int64) error
	metrics interface{ Inc(string) }
	mu      sync.Mutex
	lastErr error
	leader  atomic.Bool
	errs    chan error
}

func key(id int64) string { return fmt.Sprintf("ferry:row:%d", id) }

func (s *S) free(ctx context.Context, id int64, tok string) {
	giveBack.Run(context.WithoutCancel(ctx), s.rdb, []string{key(id)}, tok)
}

// Ticket is right: a status tells all three.
func (s *S) take(ctx context.Context, id int64, tok string) kind {
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	switch {
	case err != nil:
		return down
	case !ok:
		return busy
	}
	return held
}

func (s *S) Ticket(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	switch s.take(ctx, id, tok) {
	case down:
		return ErrDown
	case busy:
		return ErrBusy
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Refund is right: the error has a type, and a code.
func (s *S) Refund(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err != nil {
		return &Err{Code: down, Err: err}
	}
	if !ok {
		return &Err{Code: busy}
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Seat is right: one branch, and the cause is kept.
func (s *S) Seat(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err != nil || !ok {
		return errors.Join(ErrBusy, err)
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Board is right: the error goes to somebody who looks.
func (s *S) Board(ctx context.Context, id int64) bool {
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err != nil {
		s.errs <- err
	}
	if err != nil || !ok {
		return false
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id) == nil
}

// Answer is right: two answers, written by one statement.
func (s *S) Answer(w http.ResponseWriter, r *http.Request) {
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(r.Context(), key(1), tok, time.Minute).Result()
	code := http.StatusOK
	if err != nil {
		code = http.StatusServiceUnavailable
	} else if !ok {
		code = http.StatusConflict
	}
	if code != http.StatusOK {
		w.WriteHeader(code)
		return
	}
	defer s.free(r.Context(), 1, tok)
	s.work(r.Context(), 1)
}

// Unload is right: whoever calls decides.
func (s *S) Unload(ctx context.Context, id int64, onErr func(error)) {
	m := s.rs.NewMutex(key(id))
	if err := m.LockContext(ctx); err != nil {
		onErr(err)
		return
	}
	defer m.Unlock()
	s.work(ctx, id)
}

// Lead is an election: whoever wins keeps the key.
func (s *S) Lead(ctx context.Context) {
	tok := uuid.NewString()
	for range time.Tick(time.Second) {
		ok, err := s.rdb.SetNX(ctx, "ferry:leader", tok, time.Minute).Result()
		if err != nil {
			slog.Error("leader", "err", err)
			continue
		}
		s.leader.Store(ok)
	}
}

func (s *S) Resign(ctx context.Context, tok string) {
	giveBack.Run(ctx, s.rdb, []string{"ferry:leader"}, tok)
}

// Handle is no lock: a message is handled once.
func (s *S) Handle(ctx context.Context, id string) error {
	ok, err := s.rdb.SetNX(ctx, "ferry:seen:"+id, 1, time.Hour).Result()
	if err != nil || !ok {
		return nil
	}
	if err := s.work(ctx, 1); err != nil {
		s.rdb.Del(ctx, "ferry:seen:"+id)
		return err
	}
	return nil
}

// Mail is no lock: one mail an hour.
func (s *S) Mail(ctx context.Context, id string) bool {
	return s.rdb.SetNX(ctx, "ferry:mail:"+id, 1, time.Hour).Val()
}

// Fuel falls back to a mutex of the process, which is a decision: a note.
func (s *S) Fuel(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	switch {
	case err != nil: // EXPECT: fail-open(arguable)
		s.mu.Lock()
		defer s.mu.Unlock()
		log.Printf("redis is down, one at a time in this process only: %v", err)
	case !ok:
		return ErrBusy
	default:
		defer s.free(ctx, id, tok)
	}
	return s.work(ctx, id)
}

// Berth is right: hands the lock to its caller.
func (s *S) Berth(ctx context.Context, id int64) (*redislock.Lock, error) {
	return s.locks.Obtain(ctx, key(id), time.Minute, nil)
}

func (s *S) WithBerth(ctx context.Context, id int64) error {
	l, err := s.Berth(ctx, id)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return s.work(ctx, id)
}

// Clean is right: keeps the outcome in an object that is asked.
type guard struct {
	s   *S
	id  int64
	tok string
	ok  bool
	err error
}

func (s *S) guard(ctx context.Context, id int64) *guard {
	g := &guard{s: s, id: id, tok: uuid.NewString()}
	g.ok, g.err = s.rdb.SetNX(ctx, key(id), g.tok, time.Minute).Result()
	return g
}

func (g *guard) Err() error {
	if g.err != nil {
		return g.err
	}
	if !g.ok {
		return ErrBusy
	}
	return nil
}

func (g *guard) Close(ctx context.Context) { g.s.free(ctx, g.id, g.tok) }

func (s *S) Clean(ctx context.Context, id int64) error {
	g := s.guard(ctx, id)
	if err := g.Err(); err != nil {
		return err
	}
	defer g.Close(ctx)
	return s.work(ctx, id)
}

// Timetable is right: serves what is there when somebody else refreshes it.
func (s *S) Timetable(ctx context.Context, id int64) (string, error) {
	if v, err := s.rdb.Get(ctx, "cache").Result(); err == nil {
		return v, nil
	}
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err != nil {
		return "", err
	}
	if ok {
		defer s.free(ctx, id, tok)
		if err := s.work(ctx, id); err != nil {
			return "", err
		}
	}
	return s.rdb.Get(ctx, "cache").Result()
}

// Anchor is right: tries twice.
func (s *S) Anchor(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err == nil && !ok {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		ok, err = s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	}
	if err != nil {
		return err
	}
	if !ok {
		return ErrBusy
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Depart is right: leaves it to a function that panics.
func must(ok bool, err error) {
	if err != nil {
		panic(err)
	}
	if !ok {
		panic(ErrBusy)
	}
}

func (s *S) Depart(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	must(s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result())
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Count is right: counts them apart.
func (s *S) Count(ctx context.Context, id int64) {
	tok := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
	if err != nil {
		s.metrics.Inc("lock_error")
		return
	}
	if !ok {
		s.metrics.Inc("lock_busy")
		return
	}
	defer s.free(ctx, id, tok)
	s.work(ctx, id)
}

// Invoice is right: leaves the difference to a function.
func classify(ok bool, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDown, err)
	case !ok:
		return ErrBusy
	default:
		return nil
	}
}

func (s *S) Invoice(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	if err := classify(s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()); err != nil {
		return err
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Convoy is right: takes many, or none.
func (s *S) Convoy(ctx context.Context, ids []int64) (err error) {
	tok := uuid.NewString()
	var got []int64
	defer func() {
		for _, id := range got {
			s.free(ctx, id, tok)
		}
	}()
	for _, id := range ids {
		ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
		if err != nil {
			return err
		}
		if !ok {
			return ErrBusy
		}
		got = append(got, id)
	}
	return s.work(ctx, ids[0])
}

// Signal is right: takes it in a goroutine and waits for the outcome.
func (s *S) Signal(ctx context.Context, id int64) error {
	m := s.rs.NewMutex(key(id))
	done := make(chan error, 1)
	go func() { done <- m.LockContext(ctx) }()
	if err := <-done; err != nil {
		return err
	}
	defer m.Unlock()
	return s.work(ctx, id)
}

// Dock is right: keeps the last error through its tries.
func (s *S) Dock(ctx context.Context, id int64) error {
	tok := uuid.NewString()
	var last error = ErrBusy
	for i := range 5 {
		ok, err := s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result()
		if ok {
			last = nil
			break
		}
		if err != nil {
			last = err
		}
		time.Sleep(time.Duration(i) * 100 * time.Millisecond)
	}
	if last != nil {
		return last
	}
	defer s.free(ctx, id, tok)
	return s.work(ctx, id)
}

// Arrive is right: has named results and every kind of return.
func (s *S) Arrive(ctx context.Context, id int64) (err error) {
	tok := uuid.NewString()
	var ok bool
	if ok, err = s.rdb.SetNX(ctx, key(id), tok, time.Minute).Result(); err != nil {
		return
	} else if ok {
		defer func() {
			if e := giveBack.Run(context.WithoutCancel(ctx), s.rdb, []string{key(id)}, tok).Err(); err == nil {
				err = e
			}
		}()
		err = s.work(ctx, id)
		return
	}
	err = ErrBusy
	return
}
