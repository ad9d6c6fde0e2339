package fence

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
)

// Placeholder is how a database writes the parameters of a statement.
type Placeholder int

// The two ways of the databases that this was tried on.
const (
	Dollar   Placeholder = iota // $1, $2: PostgreSQL
	Question                    // ?: SQLite
)

// Table guards a database with one table of its own: a row for each resource, with the highest fence that was seen.
//
//	CREATE TABLE fences (resource text PRIMARY KEY, fence bigint NOT NULL)
//
// Use it when many tables are written under one lock, or when they cannot be given a column. If there is one row that every
// write changes, a column in that row is enough: see Affected.
type Table struct {
	admit, seen, create string
}

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)

// NewTable returns a guard that uses the table of this name, which may be qualified with a schema. It does no I/O.
func NewTable(name string, p Placeholder) (*Table, error) {
	if !tableName.MatchString(name) {
		return nil, fmt.Errorf("fence: %q is not a plain table name", name)
	}
	one, two := "$1", "$2"
	if p == Question {
		one, two = "?", "?"
	}
	return &Table{
		create: "CREATE TABLE IF NOT EXISTS " + name + " (resource text PRIMARY KEY, fence bigint NOT NULL)",
		// One statement, so two owners cannot both pass. It also locks the row until the transaction ends, so a later owner
		// waits for an earlier one's transaction and an earlier one finds the later one's number.
		admit: strings.Join([]string{
			"INSERT INTO", name, "(resource, fence) VALUES (" + one + ",", two + ")",
			"ON CONFLICT (resource) DO UPDATE SET fence = excluded.fence WHERE", name + ".fence <= excluded.fence",
		}, " "),
		seen: "SELECT fence FROM " + name + " WHERE resource = " + one,
	}, nil
}

// Execer is a *sql.DB, *sql.Conn or *sql.Tx.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Create makes the table if it is not there.
func (t *Table) Create(ctx context.Context, db Execer) error {
	if _, err := db.ExecContext(ctx, t.create); err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	return nil
}

// Admit lets the rest of tx write to the resource, or returns ErrStale, after which tx must be rolled back. Call it first
// in every transaction that writes to the resource. Until tx ends, no other owner is admitted.
func (t *Table) Admit(ctx context.Context, tx *sql.Tx, resource string, fence int64) error {
	if err := valid(resource, fence); err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, t.admit, resource, fence)
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	if n > 0 {
		return nil
	}
	stale := &StaleError{Resource: resource, Fence: fence}
	_ = tx.QueryRowContext(ctx, t.seen, resource).Scan(&stale.Seen) // only for the message
	return stale
}

// Write runs write in a transaction of its own, after Admit. It commits if write returns nil, and returns ErrStale without
// running it if a later owner was seen.
func (t *Table) Write(ctx context.Context, db *sql.DB, resource string, fence int64, write func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err := t.Admit(ctx, tx, resource, fence); err != nil {
		return err
	}
	if err := write(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	return nil
}

// Affected reads the result of a conditional update that carries the fence itself, in a column of the row it changes:
//
//	res, err := db.ExecContext(ctx, `UPDATE account SET balance = $1, fence = $2 WHERE id = $3 AND fence <= $2`, ...)
//	err = fence.Affected(res, err, "account 7", lease.Fence())
//
// It returns err, or ErrStale if no row was changed. A row that does not exist looks the same, so make it before.
func Affected(result sql.Result, err error, resource string, fence int64) error {
	if err != nil {
		return err
	}
	if err := valid(resource, fence); err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	if n == 0 {
		return &StaleError{Resource: resource, Fence: fence}
	}
	return nil
}
