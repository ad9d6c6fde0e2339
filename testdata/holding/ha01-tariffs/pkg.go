// Package tariffs breaks rules of lock libraries.
package tariffs

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/rueidis/rueidislock"
	"github.com/zeromicro/go-zero/core/stores/redis"
	"golang.org/x/sync/errgroup"
)

// Table is changed.
type Table interface {
	Replace(ctx context.Context, carrier string) error
}

// Syncer keeps one mutex for all.
type Syncer struct {
	guard *redsync.Mutex
	page  *redsync.Mutex
	table Table
}

// New makes it.
func New(rs *redsync.Redsync, table Table) *Syncer {
	return &Syncer{
		guard: rs.NewMutex("tariffs:replace"), // EXPECT: library-misuse
		page:  rs.NewMutex("tariffs:page"),    // EXPECT: library-misuse
		table: table,
	}
}

// All syncs carriers side by side.
func (s *Syncer) All(ctx context.Context, carriers []string) {
	var wg sync.WaitGroup
	for _, c := range carriers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = s.one(ctx, c)
		}()
	}
	wg.Wait()
}

func (s *Syncer) one(ctx context.Context, carrier string) error {
	if err := s.guard.LockContext(ctx); err != nil {
		return err
	}
	err := s.table.Replace(ctx, carrier)
	if ok, uerr := s.guard.Unlock(); uerr != nil || !ok {
		return errors.Join(err, uerr)
	}
	return err
}

// ServeHTTP shows a page.
func (s *Syncer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.page.TryLock(); err != nil {
		http.Error(w, "busy", http.StatusConflict)
		return
	}
	defer s.page.Unlock() // EXPECT: library-misuse
	_ = s.table.Replace(r.Context(), r.PathValue("carrier"))
}

var global *redsync.Mutex

// Setup makes the one mutex of the package.
func Setup(rs *redsync.Redsync) { global = rs.NewMutex("tariffs:global") } // EXPECT: library-misuse

// Group locks it in a group.
func Group(ctx context.Context, carriers []string, t Table) error {
	var g errgroup.Group
	for _, c := range carriers {
		g.Go(func() error {
			if err := global.LockContext(ctx); err != nil {
				return err
			}
			err := t.Replace(ctx, c)
			_, uerr := global.Unlock()
			return errors.Join(err, uerr)
		})
	}
	return g.Wait()
}

// Unlock makes a mutex to unlock it.
func Unlock(rs *redsync.Redsync, carrier string) error {
	ok, err := rs.NewMutex("tariffs:" + carrier).Unlock() // EXPECT: library-misuse
	if err != nil || !ok {
		return errors.Join(err, errors.New("not unlocked"))
	}
	return nil
}

// Extend makes a mutex to extend it.
func Extend(ctx context.Context, rs *redsync.Redsync, carrier string) (bool, error) {
	m := rs.NewMutex("tariffs:"+carrier, redsync.WithExpiry(time.Minute))
	return m.ExtendContext(ctx) // EXPECT: library-misuse
}

// Half has a lease of half a second.
func Half(ctx context.Context, store *redis.Redis, t Table) error {
	l := redis.NewRedisLock(store, "tariffs:half")
	ok, err := l.AcquireCtx(ctx) // EXPECT: library-misuse
	if err != nil || !ok {
		return err
	}
	defer func() { _, _ = l.Release() }()
	return t.Replace(ctx, "half")
}

// Dropped drops the lock's context.
func Dropped(ctx context.Context, l rueidislock.Locker, t Table) error {
	_, done, err := l.WithContext(ctx, "tariffs:dropped") // EXPECT: library-misuse
	if err != nil {
		return err
	}
	defer done()
	return t.Replace(ctx, "dropped")
}

// Obtain frees the lock before its caller has it.
func Obtain(ctx context.Context, c *redislock.Client) (*redislock.Lock, error) {
	l, err := c.Obtain(ctx, "tariffs:obtain", time.Minute, nil)
	if err != nil {
		return nil, err
	}
	defer l.Release(context.WithoutCancel(ctx)) // EXPECT: library-misuse
	return l, nil
}
