// Package orders frees the lock while the transaction is still open.
package orders

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"

	"example.test/holding/lease"
)

// Orders books orders.
type Orders struct {
	db   *sql.DB
	dbx  *sqlx.DB
	pool *pgxpool.Pool
	orm  *gorm.DB
	rs   *redsync.Redsync
	own  *lease.Locker
	obt  *redislock.Client
}

// Stock is a row.
type Stock struct {
	ID  int64
	Qty int
}

func stockKey(id int64) string { return fmt.Sprintf("orders:stock:%d", id) }

// Book unlocks, then commits.
func (o *Orders) Book(ctx context.Context, id int64) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id)
	if ferr := held.Free(ctx); ferr != nil || err != nil { // EXPECT: release-before-commit
		return errors.Join(err, ferr)
	}
	return tx.Commit()
}

// Deferred defers the commit first, so that it runs last.
func (o *Orders) Deferred(ctx context.Context, id int64) (err error) {
	tx, err := o.dbx.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
			return
		}
		err = tx.Commit()
	}()
	m := o.rs.NewMutex(stockKey(id))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock() // EXPECT: release-before-commit
	_, err = tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = $1`, id)
	return err
}

// Inside takes the lock inside the transaction's function.
func (o *Orders) Inside(ctx context.Context, id int64) error {
	return o.orm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		m := o.rs.NewMutex(stockKey(id))
		if err := m.LockContext(ctx); err != nil {
			return err
		}
		defer m.Unlock() // EXPECT: release-before-commit
		var s Stock
		if err := tx.First(&s, id).Error; err != nil {
			return err
		}
		return tx.Model(&s).Update("qty", s.Qty-1).Error
	})
}

// Pgx does so with a helper's lock.
func (o *Orders) Pgx(ctx context.Context, id int64) error {
	return pgx.BeginFunc(ctx, o.pool, func(tx pgx.Tx) error {
		return o.own.With(ctx, stockKey(id), time.Minute, func(ctx context.Context) error { // EXPECT: release-before-commit
			_, err := tx.Exec(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = $1`, id)
			return err
		})
	})
}

// reserve is given an open transaction and leaves it open.
func (o *Orders) reserve(ctx context.Context, tx *sql.Tx, id int64) error {
	held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
	if err != nil {
		return err
	}
	defer held.Free(ctx) // EXPECT: release-before-commit
	_, err = tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id)
	return err
}

// Reserve begins and commits.
func (o *Orders) Reserve(ctx context.Context, ids []int64) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, id := range ids {
		if err := o.reserve(ctx, tx, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// finish commits for others.
func finish(tx *gorm.DB) error { return tx.Commit().Error }

// Gorm commits in a helper, after a lock that a helper took.
func (o *Orders) Gorm(ctx context.Context, id int64) error {
	tx := o.orm.Begin()
	err := o.own.With(ctx, stockKey(id), time.Minute, func(context.Context) error { // EXPECT: release-before-commit
		return tx.Model(&Stock{ID: id}).Update("qty", gorm.Expr("qty - 1")).Error
	})
	if err != nil {
		tx.Rollback()
		return err
	}
	return finish(tx)
}

// repo works in a transaction.
type repo struct{ tx *sql.Tx }

func within(tx *sql.Tx) *repo { return &repo{tx: tx} }

func (r *repo) sub(ctx context.Context, id int64) error {
	_, err := r.tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id)
	return err
}

// Repo uses the transaction through an object.
func (o *Orders) Repo(ctx context.Context, id int64) error {
	tx, err := o.db.Begin()
	if err != nil {
		return err
	}
	stock := within(tx)
	held, err := o.obt.Obtain(ctx, stockKey(id), time.Minute, nil)
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := stock.sub(ctx, id); err != nil {
		return errors.Join(err, tx.Rollback(), held.Release(context.WithoutCancel(ctx)))
	}
	if err := held.Release(context.WithoutCancel(ctx)); err != nil { // EXPECT: release-before-commit
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// queries are what a transaction's function works with.
type queries struct{ tx *sql.Tx }

// inTx runs fn in a transaction.
func (o *Orders) inTx(ctx context.Context, fn func(q *queries) error) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(&queries{tx}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (q *queries) sub(ctx context.Context, id int64) error {
	_, err := q.tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id)
	return err
}

// Helper takes the lock inside the program's own transaction helper.
func (o *Orders) Helper(ctx context.Context, id int64) error {
	return o.inTx(ctx, func(q *queries) error {
		held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
		if err != nil {
			return err
		}
		defer held.Free(ctx) // EXPECT: release-before-commit
		return q.sub(ctx, id)
	})
}
