// EXPECT-NONE

// Package libraryloans lends books.
package libraryloans

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBusy = errors.New("book or reader is in use")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Stock does the work.
type Stock interface {
	Lend(ctx context.Context, book, reader int64) error
	TakeBack(ctx context.Context, book int64) error
	Fine(ctx context.Context, reader int64) error
	Forgive(ctx context.Context, reader int64) error
	Bind(ctx context.Context, shelf int64) error
	Dust(ctx context.Context, shelf int64) error
}

// bookKey is a named key function.
func bookKey(book int64) string { return fmt.Sprintf("library:book:%d", book) }

// readerKey is one too, by concatenation.
func readerKey(reader int64) string { return "library:reader:" + strconv.FormatInt(reader, 10) }

// Loans keeps the key function of its shelves in a field, since branches name them differently.
type Loans struct {
	cli      redis.UniversalClient
	stock    Stock
	shelfKey func(int64) string
}

// cellarKey names the shelves of the cellar.
func cellarKey(shelf int64) string {
	var b strings.Builder
	b.WriteString("library:cellar:")
	b.WriteString(strconv.FormatInt(shelf, 10))
	return b.String()
}

// Cellar is the branch below the ground.
func Cellar(cli redis.UniversalClient, stock Stock) *Loans {
	return &Loans{cli: cli, stock: stock, shelfKey: cellarKey}
}

func (l *Loans) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := l.cli.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, l.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Lend lends a book.
func (l *Loans) Lend(ctx context.Context, book, reader int64) error {
	return l.hold(ctx, bookKey(book), func(ctx context.Context) error { return l.stock.Lend(ctx, book, reader) })
}

// TakeBack takes a book back.
func (l *Loans) TakeBack(ctx context.Context, book int64) error {
	return l.hold(ctx, bookKey(book), func(ctx context.Context) error { return l.stock.TakeBack(ctx, book) })
}

// Fine charges a reader who is late.
func (l *Loans) Fine(ctx context.Context, reader int64) error {
	return l.hold(ctx, readerKey(reader), func(ctx context.Context) error { return l.stock.Fine(ctx, reader) })
}

// Forgive gives the fine back.
func (l *Loans) Forgive(ctx context.Context, reader int64) error {
	return l.hold(ctx, readerKey(reader), func(ctx context.Context) error { return l.stock.Forgive(ctx, reader) })
}

// Bind repairs the books of a shelf.
func (l *Loans) Bind(ctx context.Context, shelf int64) error {
	return l.hold(ctx, l.shelfKey(shelf), func(ctx context.Context) error { return l.stock.Bind(ctx, shelf) })
}

// Dust dusts a shelf.
func (l *Loans) Dust(ctx context.Context, shelf int64) error {
	return l.hold(ctx, l.shelfKey(shelf), func(ctx context.Context) error { return l.stock.Dust(ctx, shelf) })
}
