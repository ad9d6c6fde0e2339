// Package journalentries writes the journal of a company.
package journalentries

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("journal is in use")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Books does the work.
type Books interface {
	Post(ctx context.Context, entry int64) error
	Undo(ctx context.Context, entry string) error
	Close(ctx context.Context) error
	Open(ctx context.Context) error
	Cross(ctx context.Context, line int64) error
	Copy(ctx context.Context, line int64) error
}

type Journal struct {
	rdb   redis.UniversalClient
	books Books
}

func (j *Journal) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := j.rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, j.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return fn(work)
}

func entryKey(entry int64) string { return "journal:entry:" + strconv.FormatInt(entry, 10) }

// Post posts an entry.
func (j *Journal) Post(ctx context.Context, entry int64) error {
	return j.hold(ctx, entryKey(entry), func(ctx context.Context) error { return j.books.Post(ctx, entry) })
}

// namedKey is for callers that have the number as text.
func namedKey(entry string) string {
	return fmt.Sprintf("journal:entry:%s", entry) // EXPECT: duplicate-prefix
}

// Undo takes an entry back.
func (j *Journal) Undo(ctx context.Context, entry string) error {
	if entry == "" {
		return errors.New("entry required")
	}
	return j.hold(ctx, namedKey(entry), func(ctx context.Context) error { return j.books.Undo(ctx, entry) })
}

// Open begins a year, and must not run while one is closed.
func (j *Journal) Open(ctx context.Context) error {
	return j.hold(ctx, "journal-year-end", j.books.Open) // EXPECT: duplicate-prefix
}

const linePrefix = "journal:line:" // EXPECT: duplicate-prefix

func copyKey(line int64) string { return linePrefix + strconv.FormatInt(line, 10) }

// Copy copies a line.
func (j *Journal) Copy(ctx context.Context, line int64) error {
	return j.hold(ctx, copyKey(line), func(ctx context.Context) error { return j.books.Copy(ctx, line) })
}
