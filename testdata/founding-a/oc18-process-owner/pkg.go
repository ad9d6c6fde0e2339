// Package processowner changes the playlists of a radio station.
package processowner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrEditing = errors.New("somebody edits this playlist")

// processID tells this process from the others.
var processID = uuid.NewString()

var compareDelete = redis.NewScript(`return redis.call("GET", KEYS[1]) == ARGV[1] and redis.call("DEL", KEYS[1]) or 0`)

type Playlists struct {
	rdb  *redis.Client
	save func(ctx context.Context, list int64, songs []string) error
}

func listKey(list int64) string { return fmt.Sprintf("radio:playlist:%d:edit", list) }

func jingleKey(list int64) string { return fmt.Sprintf("radio:jingle:%d:edit", list) }

// Save replaces the songs of a playlist; the requests of all editors end here.
func (p *Playlists) Save(ctx context.Context, list int64, songs []string) (err error) {
	set := redis.SetArgs{Mode: "NX", TTL: 10 * time.Second}
	err = p.rdb.SetArgs(ctx, listKey(list), processID, set).Err() // EXPECT: constant-owner
	switch {
	case errors.Is(err, redis.Nil):
		return ErrEditing
	case err != nil:
		return fmt.Errorf("playlist %d: %w", list, err)
	}
	defer func() { err = errors.Join(err, p.done(context.WithoutCancel(ctx), listKey(list), processID)) }()
	return p.save(ctx, list, songs)
}

// SaveJingle replaces the jingle before a playlist.
func (p *Playlists) SaveJingle(ctx context.Context, list int64, jingle string) (err error) {
	pid := fmt.Sprintf("pid-%d", os.Getpid())
	ok, err := p.rdb.SetNX(ctx, jingleKey(list), pid, 10*time.Second).Result() // EXPECT: constant-owner
	if err != nil {
		return fmt.Errorf("jingle %d: %w", list, err)
	}
	if !ok {
		return ErrEditing
	}
	defer func() { err = errors.Join(err, p.done(context.WithoutCancel(ctx), jingleKey(list), pid)) }()
	return p.save(ctx, list, []string{jingle})
}

func (p *Playlists) done(ctx context.Context, key, owner string) error {
	end, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	return compareDelete.Run(end, p.rdb, []string{key}, owner).Err()
}
