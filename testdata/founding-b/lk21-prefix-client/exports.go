// Package prefixclient exports accounts for the auditors.
package prefixclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundingb/lk21-prefix-client/store"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("account is being exported")

var compareAndDelete = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Files does the work.
type Files interface {
	Export(ctx context.Context, account int64) error
}

type Exports struct {
	store *store.Client
	rdb   redis.UniversalClient // for scripts, which the store does not run
	files Files
}

// New returns the exports of the audit application.
func New(rdb redis.UniversalClient, files Files) (*Exports, error) {
	s, err := store.New(rdb, "audit")
	if err != nil {
		return nil, err
	}
	return &Exports{store: s, rdb: rdb, files: files}, nil
}

func accountKey(account int64) string { return fmt.Sprintf("export-account:%d", account) }

// Export writes the file of an account.
func (e *Exports) Export(ctx context.Context, account int64) (err error) {
	key, owner := accountKey(account), uuid.NewString()
	ok, err := e.store.SetIfAbsent(ctx, key, owner, 40*time.Second) // ALSO-OK: leak-on-path
	if err != nil {
		return fmt.Errorf("account %d: %w", account, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		err = errors.Join(err, compareAndDelete.Run(end, e.rdb, []string{key}, owner).Err()) // EXPECT: mismatched-prefix
	}()
	work, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return e.files.Export(work, account)
}
