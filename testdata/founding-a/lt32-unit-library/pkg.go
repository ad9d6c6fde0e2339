// Package unitlibrary digitises the tapes of a broadcaster.
package unitlibrary

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v8"

	redis "github.com/go-redis/redis/v8"
)

// Seconds is a number of seconds.
type Seconds int

// seconds is the lease of a tape.
const seconds Seconds = 45

type Tapes struct {
	rs   *redsync.Redsync
	copy func(ctx context.Context, tape int64) error
}

func New(rdb *redis.Client, copy func(context.Context, int64) error) *Tapes {
	return &Tapes{rs: redsync.New(goredis.NewPool(rdb)), copy: copy}
}

func tapeKey(tape int64) string { return fmt.Sprintf("archive:tape:%d:copy", tape) }

func reelKey(tape int64) string { return fmt.Sprintf("archive:reel:%d:copy", tape) }

func diskKey(tape int64) string { return fmt.Sprintf("archive:disk:%d:copy", tape) }

// Tape hands nanoseconds over.
func (t *Tapes) Tape(ctx context.Context, tape int64) error {
	m := t.rs.NewMutex(tapeKey(tape), redsync.WithExpiry(time.Duration(seconds))) // EXPECT: ttl-unit
	return t.with(ctx, tape, m)
}

// Reel hands nanoseconds over, too.
func (t *Tapes) Reel(ctx context.Context, tape int64) error {
	return t.with(ctx, tape, t.rs.NewMutex(reelKey(tape), redsync.WithExpiry(8000))) // EXPECT: ttl-unit
}

// Disk hands seconds over.
func (t *Tapes) Disk(ctx context.Context, tape int64) error {
	m := t.rs.NewMutex(diskKey(tape), redsync.WithExpiry(time.Duration(seconds)*time.Second))
	return t.with(ctx, tape, m)
}

func (t *Tapes) with(ctx context.Context, tape int64, m *redsync.Mutex) (err error) {
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("tape %d: %w", tape, err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		ok, uerr := m.UnlockContext(end)
		if uerr == nil && !ok {
			uerr = errors.New("lock was lost")
		}
		err = errors.Join(err, uerr)
	}()
	return t.copy(ctx, tape)
}
