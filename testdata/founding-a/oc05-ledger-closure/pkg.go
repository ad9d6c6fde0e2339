// EXPECT-NONE

// Package ledgerclosure closes the ledgers of shops at night.
package ledgerclosure

import (
	"context"
	"fmt"
	"time"

	"example.test/foundinga/oc05-ledger-closure/locks"
)

// facade fixes key and TTL for the closers below.
type facade struct{ m *locks.Manager }

func ledgerKey(shop int64) string { return fmt.Sprintf("ledger:%d:close", shop) }

func (f facade) withLedger(ctx context.Context, shop int64, fn func(context.Context) error) error {
	return f.m.Do(ctx, ledgerKey(shop), 45*time.Second, fn)
}

type Books interface {
	Sum(ctx context.Context, shop int64) error
	Seal(ctx context.Context, shop int64) error
}

// Closer closes one shop's ledger.
type Closer struct {
	locks facade
	books Books
	shop  int64
}

func NewCloser(m *locks.Manager, books Books, shop int64) *Closer {
	return &Closer{locks: facade{m}, books: books, shop: shop}
}

func (c *Closer) Close(ctx context.Context) error {
	return c.locks.withLedger(ctx, c.shop, c.close)
}

func (c *Closer) close(ctx context.Context) error {
	if err := c.books.Sum(ctx, c.shop); err != nil {
		return err
	}
	return c.books.Seal(ctx, c.shop)
}
