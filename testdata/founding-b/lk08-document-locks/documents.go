// Package documentlocks changes documents.
package documentlocks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.test/foundingb/lk08-document-locks/naming"
	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBusy = errors.New("document is in use")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Draft is a document that is being written.
type Draft struct {
	ID    int64
	Lines []string
}

// Store does the work.
type Store interface {
	Sort(ctx context.Context, f *naming.Folder) error
	Print(ctx context.Context, doc int64) error
	Save(ctx context.Context, d *Draft) error
	Merge(ctx context.Context, flags map[int64]bool) error
	Spell(ctx context.Context, d *Draft) error
	Stamp(ctx context.Context, doc int64) error
}

type Documents struct {
	cli    redis.UniversalClient
	store  Store
	scheme naming.Scheme
	stamp  func(int64) string
}

// New returns the documents of an office.
func New(cli redis.UniversalClient, store Store) *Documents {
	d := &Documents{cli: cli, store: store, scheme: naming.Dated{Kind: "letter"}}
	d.stamp = func(doc int64) string {
		return fmt.Sprintf("stamp:%d@%d", doc, time.Now().UnixMilli()) // EXPECT: unstable-key
	}
	return d
}

func (d *Documents) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := d.cli.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, d.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Sort sorts a folder.
func (d *Documents) Sort(ctx context.Context, f *naming.Folder) error {
	return d.hold(ctx, naming.FolderKey(f), func(ctx context.Context) error { return d.store.Sort(ctx, f) }) // ALSO-OK: unstable-key
}

// Print prints a document.
func (d *Documents) Print(ctx context.Context, doc int64) error {
	return d.hold(ctx, d.scheme.Name(doc), func(ctx context.Context) error { return d.store.Print(ctx, doc) }) // ALSO-OK: unstable-key
}

// Save stores a draft.
func (d *Documents) Save(ctx context.Context, draft *Draft) error {
	return d.hold(ctx, naming.Of(draft), func(ctx context.Context) error { return d.store.Save(ctx, draft) }) // ALSO-OK: unstable-key
}

func draftKey(d *Draft) string {
	return "draft:spell:" + fmt.Sprint(*d) // EXPECT: unstable-key
}

// Spell checks the spelling of a draft.
func (d *Documents) Spell(ctx context.Context, draft *Draft) error {
	return d.hold(ctx, draftKey(draft), func(ctx context.Context) error { return d.store.Spell(ctx, draft) }) // ALSO-OK: unstable-key
}

func flagsKey(flags map[int64]bool) string {
	parts := []string{"flags:merge"}
	for doc := range flags { // ALSO-OK: unstable-key
		parts = append(parts, strconv.FormatInt(doc, 10)) // ALSO-OK: unstable-key
	}
	return strings.Join(parts, ":") // EXPECT: unstable-key
}

// Merge merges the documents that are flagged.
func (d *Documents) Merge(ctx context.Context, flags map[int64]bool) error {
	return d.hold(ctx, flagsKey(flags), func(ctx context.Context) error { return d.store.Merge(ctx, flags) }) // ALSO-OK: unstable-key
}

// Stamp stamps a document.
func (d *Documents) Stamp(ctx context.Context, doc int64) error {
	return d.hold(ctx, d.stamp(doc), func(ctx context.Context) error { return d.store.Stamp(ctx, doc) }) // ALSO-OK: unstable-key
}
