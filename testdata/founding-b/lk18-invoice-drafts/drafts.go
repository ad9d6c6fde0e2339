// Package invoicedrafts writes invoices before they are sent.
package invoicedrafts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("draft is in use")

// draftPrefix is what the lock of a draft begins with.
const draftPrefix = "invoice:draft:" // ALSO-OK: mismatched-prefix

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Books does the work.
type Books interface {
	Write(ctx context.Context, draft int64) error
	Sum(ctx context.Context, draft int64) error
	Drop(ctx context.Context, draft int64) error
	Sign(ctx context.Context, voucher int64) error
	Void(ctx context.Context, voucher int64) error
}

type Drafts struct {
	rdb   *redis.Client
	books Books
}

// draftKey is held while a draft changes.
func draftKey(draft int64) string { return draftPrefix + strconv.FormatInt(draft, 10) }

func (d *Drafts) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, d.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Write adds a line.
func (d *Drafts) Write(ctx context.Context, draft int64) error {
	return d.hold(ctx, draftKey(draft), func(ctx context.Context) error { return d.books.Write(ctx, draft) })
}

// Sum adds the lines up.
func (d *Drafts) Sum(ctx context.Context, draft int64) error {
	return d.hold(ctx, draftKey(draft), func(ctx context.Context) error { return d.books.Sum(ctx, draft) })
}

// Drop throws a draft away.
func (d *Drafts) Drop(ctx context.Context, draft int64) error {
	key := fmt.Sprintf("invoices:draft:%d", draft) // EXPECT: mismatched-prefix, key-from-strings
	return d.hold(ctx, key, func(ctx context.Context) error { return d.books.Drop(ctx, draft) })
}

// signKey is held while a voucher is signed or made void.
func signKey(voucher int64) string { return fmt.Sprintf("bookkeeping_voucher:%d", voucher) } // ALSO-OK: mismatched-prefix

// Sign signs a voucher.
func (d *Drafts) Sign(ctx context.Context, voucher int64) error {
	return d.hold(ctx, signKey(voucher), func(ctx context.Context) error { return d.books.Sign(ctx, voucher) })
}

// Void makes a voucher void.
func (d *Drafts) Void(ctx context.Context, voucher int64) error {
	key := fmt.Sprint("bookkeeping-voucher:", voucher) // EXPECT: mismatched-prefix, key-from-strings
	return d.hold(ctx, key, func(ctx context.Context) error { return d.books.Void(ctx, voucher) })
}
