// EXPECT-NONE

// Package glaciervault moves old files into cold storage.
package glaciervault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("file is being moved")

// Storer stores a file.
type Storer interface {
	Store(ctx context.Context, file int64) error
}

// Cold is the storage that is billed per write.
type Cold interface {
	Has(ctx context.Context, file int64) (bool, error)
	Write(ctx context.Context, file int64) error
}

type vault struct{ cold Cold }

func (v *vault) Store(ctx context.Context, file int64) error {
	has, err := v.cold.Has(ctx, file)
	if err != nil || has {
		return err
	}
	return v.cold.Write(ctx, file)
}

// spool keeps files on the disk of this replica; nobody else writes there.
type spool struct {
	dir  string
	read func(ctx context.Context, file int64) ([]byte, error)
}

func (s *spool) Store(ctx context.Context, file int64) error {
	data, err := s.read(ctx, file)
	if err != nil {
		return err
	}
	return os.WriteFile(fmt.Sprintf("%s/%d", s.dir, file), data, 0o600)
}

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type serial struct {
	next Storer
	rdb  redis.UniversalClient
}

func fileKey(file int64) string { return fmt.Sprintf("glacier:file:%d", file) }

func (s *serial) Store(ctx context.Context, file int64) (err error) {
	key, owner := fileKey(file), uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, owner, 45*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return errBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, s.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	return s.next.Store(work, file)
}

// Mover stores files here first and in the cold later.
type Mover struct {
	near Storer
	far  Storer
}

// New wires a mover.
func New(cold Cold, dir string, read func(context.Context, int64) ([]byte, error), rdb redis.UniversalClient) *Mover {
	return &Mover{near: &spool{dir: dir, read: read}, far: &serial{next: &vault{cold}, rdb: rdb}}
}

// Spool takes new files.
func (m *Mover) Spool(ctx context.Context, files []int64) error {
	for _, f := range files {
		if err := m.near.Store(ctx, f); err != nil {
			return fmt.Errorf("file %d: %w", f, err)
		}
	}
	return nil
}

// Freeze moves files into the vault.
func (m *Mover) Freeze(ctx context.Context, files []int64) error {
	var all error
	for _, f := range files {
		all = errors.Join(all, m.far.Store(ctx, f))
	}
	return all
}
