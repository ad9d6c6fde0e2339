// Package tricky has what is easy to get wrong when names change or helpers move.
package tricky

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	rds "github.com/redis/go-redis/v9"

	"example.test/foundingb/tricky/words"
)

type state int

const (
	idle state = iota
	busy
	done
)

// String is found by name at run time.
func (s state) String() string { return [...]string{"idle", "busy", "done"}[s] }

// Job is read from JSON, by its tags.
type Job struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	state
}

// sealed has a method that only this package can have.
type sealed interface {
	key() string
	words.Speaker
}

func (j *Job) key() string { return words.Prefix + strconv.FormatInt(j.ID, 10) }

// Speak implements words.Speaker.
func (j *Job) Speak() string { return "job " + j.Title + " is " + j.String() }

type base[T any] struct {
	items []T
	note  string
}

func (b *base[T]) add(t T) { b.items = append(b.items, t) }

// Board keeps jobs.
type Board struct {
	*base[*Job]
	rdb rds.UniversalClient
	ttl time.Duration
}

// New uses a literal without names.
func New(rdb rds.UniversalClient) *Board {
	return &Board{&base[*Job]{}, rdb, 20 * time.Second}
}

// ErrBusy says that somebody else is at it.
var ErrBusy = errors.New("job is taken")

var release = rds.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Claim runs fn while a job is held.
func (b *Board) Claim(ctx context.Context, s sealed, fns ...func(context.Context) error) (err error) {
	key, owner := s.key(), uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, key, owner, b.ttl).Result() // MARK: claim
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, b.rdb, []string{key}, owner).Err()) // MARK: release
	}()
	for _, fn := range fns {
		if err := fn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Slots counts free slots; nobody else touches its fields.
type Slots struct {
	rdb  rds.UniversalClient
	name string
}

// NewSlots returns slots.
func NewSlots(rdb rds.UniversalClient, name string) *Slots { return &Slots{rdb: rdb, name: name} }

// Mark says that a slot was seen.
func (s *Slots) mark(ctx context.Context, slot int64) (bool, error) {
	return s.rdb.SetNX(ctx, fmt.Sprintf("slot:%s:%d", s.name, slot), uuid.NewString(), time.Minute).Result() // MARK: slots
}

// UseSlots calls what moves.
func UseSlots(ctx context.Context, s *Slots) (int, error) {
	n := 0
all:
	for {
		for slot := range int64(3) {
			ok, err := s.mark(ctx, slot)
			switch {
			case err != nil:
				return n, err
			case !ok:
				break all
			}
			n++
		}
	}
	return n, nil
}

// Total sums up what it understands.
func Total(values ...any) (total int64) {
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			total += v
		case *Job:
			total += v.ID
		case fmt.Stringer:
			total += int64(len(v.String()))
		}
	}
	return total
}

// Guarded is called by those who hold the job.
//
//leasevet:guardedby tricky-job:{id} the title is read first
func (b *Board) Guarded(_ context.Context, id int64, title string) {
	b.add(&Job{ID: id, Title: title, state: done})
}

// Take is somebody else's code.
//
//leasevet:acquire key=name owner=token ttl=d
func Take(name, token string, d time.Duration) bool { return name != "" && token != "" && d > 0 }

// ServeHTTP implements http.Handler.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var j Job
	if err := json.NewDecoder(r.Body).Decode(&j); err != nil || r.Header.Get("x-client") == "" {
		http.Error(w, "job expected", http.StatusBadRequest)
		return
	}
	j.state = busy
	b.add(&j)
	fmt.Fprint(w, j.Speak())
}

// Routes are the board's.
func (b *Board) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /jobs/new", b)
	return mux
}

var _ sealed = (*Job)(nil)
