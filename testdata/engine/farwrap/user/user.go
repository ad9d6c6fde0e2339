// Package user wraps its work in the locks of another package, and goes past them.
package user

import (
	"context"
	"database/sql"

	"github.com/redis/go-redis/v9"

	"example.test/engine/farwrap/locks"
)

type plain struct{ db *sql.DB }

func (p *plain) Do(ctx context.Context, id int64) error {
	_, err := p.db.ExecContext(ctx, `UPDATE boats SET painted = now() WHERE id = $1`, id)
	return err
}

// Missed goes past the lock of guarded.
func (p *plain) Missed(ctx context.Context, ids []int64) error {
	for _, id := range ids {
		if err := p.Do(ctx, id); err != nil { // EXPECT: self-call
			return err
		}
	}
	return nil
}

// guarded stands for plain; the lock is a helper's.
type guarded struct {
	rdb  redis.Cmdable
	next locks.Doer
}

func (g *guarded) Do(ctx context.Context, id int64) error {
	return locks.Serial(ctx, g.rdb, g.next, id)
}

// New wraps.
func New(db *sql.DB, rdb redis.Cmdable) locks.Doer { return &guarded{rdb: rdb, next: &plain{db}} }

// Yard has a locked and a bare step.
type Yard struct {
	db           *sql.DB
	locked, bare locks.Step
}

// NewYard wraps one of them.
func NewYard(db *sql.DB, rdb redis.Cmdable) *Yard {
	y := &Yard{db: db}
	y.bare = y.haul
	y.locked = locks.OneAtATime(rdb, y.haul)
	return y
}

func (y *Yard) haul(ctx context.Context, id int64) error {
	_, err := y.db.ExecContext(ctx, `UPDATE boats SET hauled = now() WHERE id = $1`, id)
	return err
}

// Haul is right.
func (y *Yard) Haul(ctx context.Context, id int64) error { return y.locked(ctx, id) }

// HaulAll goes past the lock.
func (y *Yard) HaulAll(ctx context.Context, ids []int64) error {
	for _, id := range ids {
		if err := y.bare(ctx, id); err != nil { // EXPECT: self-call
			return err
		}
	}
	return nil
}

// query only asks.
type query struct{ db *sql.DB }

func (q *query) Do(ctx context.Context, id int64) error {
	return q.db.QueryRowContext(ctx, `SELECT 1 FROM boats WHERE id = $1`, id).Err()
}

// Door lets nobody in while the answer may change. It stands for no query.
type Door struct {
	rdb redis.Cmdable
	ask *query
}

// Open asks under a lock.
func (d *Door) Open(ctx context.Context, id int64) error { return locks.Check(ctx, d.rdb, d.ask, id) }

// Peek asks without one, which is right.
func (d *Door) Peek(ctx context.Context, id int64) error { return d.ask.Do(ctx, id) }
