// Package flag has a bypass that callers ask for.
package flag

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Source asks upstream.
type Source interface {
	Quote(ctx context.Context, symbol string) (string, error)
}

// Quotes asks upstream once at a time.
type Quotes struct {
	locks  *redsync.Redsync
	source Source
}

// Get forces a fresh quote if told to: the flag says that the lock is not wanted.
func (q *Quotes) Get(ctx context.Context, symbol string, force ...bool) (string, error) {
	fresh := len(force) > 0 && force[0]
	if fresh {
		return q.source.Quote(ctx, symbol) // EXPECT: self-call
	}
	return q.one(ctx, symbol)
}

func (q *Quotes) one(ctx context.Context, symbol string) (string, error) {
	mutex := q.locks.NewMutex(quoteKey(symbol), redsync.WithExpiry(10*time.Second))
	if err := mutex.LockContext(ctx); err != nil {
		return "", fmt.Errorf("quote of %s: %w", symbol, err)
	}
	defer func() { _, _ = mutex.UnlockContext(context.WithoutCancel(ctx)) }()
	return q.source.Quote(ctx, symbol)
}

func quoteKey(symbol string) string { return "quote:" + symbol }
