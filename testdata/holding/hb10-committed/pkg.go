// EXPECT-NONE

// Package committed releases after the commit, in ways that look otherwise.
package committed

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"example.test/holding/lease"
)

// Orders books orders.
type Orders struct {
	db   *sql.DB
	pool *pgxpool.Pool
	orm  *gorm.DB
	rs   *redsync.Redsync
	own  *lease.Locker
}

func stockKey(id int64) string { return fmt.Sprintf("committed:stock:%d", id) }

// Book defers the release, and commits before the function returns.
func (o *Orders) Book(ctx context.Context, id int64) error {
	held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
	if err != nil {
		return err
	}
	defer held.Free(ctx)
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Deferred defers the commit last, so that it runs first.
func (o *Orders) Deferred(ctx context.Context, id int64) (err error) {
	m := o.rs.NewMutex(stockKey(id))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	tx, err := o.db.BeginTx(ctx, nil)
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
	_, err = tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id)
	return err
}

// Outside runs the whole transaction under the lock.
func (o *Orders) Outside(ctx context.Context, id int64) error {
	return o.own.With(ctx, stockKey(id), time.Minute, func(ctx context.Context) error {
		return o.orm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			return tx.Exec("UPDATE stock SET qty = qty - 1 WHERE id = ?", id).Error
		})
	})
}

// Two begins another transaction after the lock.
func (o *Orders) Two(ctx context.Context, id int64) error {
	held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, o.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = $1`, id)
		return err
	})
	if err := errors.Join(err, held.Free(ctx)); err != nil {
		return err
	}
	tx, err := o.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `INSERT INTO log (stock) VALUES ($1)`, id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Failed releases early only where it rolls back.
func (o *Orders) Failed(ctx context.Context, id int64) error {
	held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
	if err != nil {
		return err
	}
	tx := o.orm.Begin()
	if err := tx.Exec("UPDATE stock SET qty = qty - 1 WHERE id = ?", id).Error; err != nil {
		tx.Rollback()
		return errors.Join(err, held.Free(ctx))
	}
	err = tx.Commit().Error
	return errors.Join(err, held.Free(ctx))
}

// Beside takes a lock inside a transaction for something that is not in it.
func (o *Orders) Beside(ctx context.Context, id int64, print func(int64) error) error {
	return pgx.BeginFunc(ctx, o.pool, func(tx pgx.Tx) error {
		if err := o.own.With(ctx, "committed:printer", time.Minute, func(context.Context) error { return print(id) }); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE stock SET printed = true WHERE id = $1`, id)
		return err
	})
}

// Scope is given a handle that is in no transaction.
func (o *Orders) Scope(ctx context.Context, db *gorm.DB, id int64) error {
	return o.own.With(ctx, stockKey(id), time.Minute, func(context.Context) error {
		return db.Exec("UPDATE stock SET qty = qty - 1 WHERE id = ?", id).Error
	})
}

// Round commits in every round of a loop before it releases.
func (o *Orders) Round(ctx context.Context, ids []int64) error {
	for _, id := range ids {
		held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
		if err != nil {
			return err
		}
		tx, err := o.db.BeginTx(ctx, nil)
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id)
			err = errors.Join(err, tx.Commit())
		}
		if err := errors.Join(err, held.Free(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// inTx runs fn in a transaction.
func (o *Orders) inTx(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Helper runs the program's own transaction helper under the lock.
func (o *Orders) Helper(ctx context.Context, id int64) (err error) {
	held, err := o.own.Wait(ctx, stockKey(id), time.Minute)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Free(ctx)) }()
	return o.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE stock SET qty = qty - 1 WHERE id = ?`, id)
		return err
	})
}
