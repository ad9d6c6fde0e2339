// Package accountclosing closes accounts and sends the last statement.
package accountclosing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("account is being closed")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Books knows what an account is worth.
type Books interface {
	Open(ctx context.Context, account int64) (bool, error)
	PayOut(ctx context.Context, account int64) error
	Expired(ctx context.Context) ([]int64, error)
}

type closer struct{ books Books }

// closeAccount pays the rest out, if there still is one.
func (c closer) closeAccount(ctx context.Context, account int64) error {
	open, err := c.books.Open(ctx, account)
	if err != nil || !open {
		return err
	}
	return c.books.PayOut(ctx, account)
}

func statementKey(account int64) string { return fmt.Sprintf("statement:final:%d", account) }

// alone wraps a step so that it runs once per account across replicas.
func alone(rdb redis.Cmdable, step func(context.Context, int64) error) func(context.Context, int64) error {
	return func(ctx context.Context, account int64) (err error) {
		key, owner := statementKey(account), uuid.NewString()
		ok, err := rdb.SetNX(ctx, key, owner, 25*time.Second).Result()
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !ok {
			return errBusy
		}
		defer func() {
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer stop()
			err = errors.Join(err, unlock.Run(end, rdb, []string{key}, owner).Err())
		}()
		work, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		return step(work, account)
	}
}

// Counter is what customers use.
type Counter struct {
	finish func(context.Context, int64) error
}

// Janitor closes what has expired; each replica runs one.
type Janitor struct {
	books  Books
	finish func(context.Context, int64) error
}

// New returns the counter and the janitor of a replica.
func New(books Books, rdb redis.Cmdable) (*Counter, *Janitor) {
	finish := closer{books}.closeAccount
	janitor := &Janitor{books: books, finish: finish} // ALSO-OK: self-call
	finish = alone(rdb, finish)
	return &Counter{finish: finish}, janitor
}

// Close closes the account of a customer who leaves.
func (c *Counter) Close(ctx context.Context, account int64) error { return c.finish(ctx, account) }

// Sweep closes the accounts that have expired.
func (j *Janitor) Sweep(ctx context.Context) error {
	expired, err := j.books.Expired(ctx)
	if err != nil {
		return err
	}
	for _, account := range expired {
		if err := j.finish(ctx, account); err != nil { // EXPECT: self-call
			return fmt.Errorf("account %d: %w", account, err)
		}
	}
	return nil
}
