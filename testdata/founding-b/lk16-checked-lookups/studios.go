// EXPECT-NONE

// Package checkedlookups lets studios to bands.
package checkedlookups

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrBusy    = errors.New("studio is in use")
	ErrUnknown = errors.New("no such studio or band")
)

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Size is a size of a studio.
type Size int

// The sizes.
const (
	Small Size = iota
	Large
)

// wing says in which wing the studios of a size are. Nothing is ever added.
var wing = map[Size]string{Small: "east", Large: "west"}

// Studios does the work.
type Studios interface {
	Let(ctx context.Context, owner string, studio int64) error
	Tune(ctx context.Context, genre string) error
	Heat(ctx context.Context, wing string) error
	Bill(ctx context.Context, band string) error
	Mix(ctx context.Context, desk string) error
}

type House struct {
	rdb     redis.UniversalClient
	studios Studios
	ownerOf map[int64]string
	genreOf map[int64]string
	desk    string
}

// New returns a house; a mixing desk without a name is a mistake.
func New(rdb redis.UniversalClient, studios Studios, desk string) (*House, error) {
	if desk == "" {
		return nil, errors.New("mixing desk required")
	}
	return &House{rdb: rdb, studios: studios, ownerOf: map[int64]string{}, genreOf: map[int64]string{}, desk: desk}, nil
}

func (h *House) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := h.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, h.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

func ownerKey(owner string) string { return "studio-owner:" + owner }

// Let lets a studio.
func (h *House) Let(ctx context.Context, studio int64) error {
	owner, ok := h.ownerOf[studio]
	if !ok {
		return ErrUnknown
	}
	return h.hold(ctx, ownerKey(owner), func(ctx context.Context) error { return h.studios.Let(ctx, owner, studio) })
}

func genreKey(genre string) string { return "piano-genre:" + genre }

// Tune tunes the pianos of a band's genre.
func (h *House) Tune(ctx context.Context, band int64) error {
	genre := h.genreOf[band]
	if genre == "" {
		return ErrUnknown
	}
	return h.hold(ctx, genreKey(genre), func(ctx context.Context) error { return h.studios.Tune(ctx, genre) })
}

func wingKey(size Size) string { return "heating-wing:" + wing[size] }

// Warm heats the large studios.
func (h *House) Warm(ctx context.Context) error {
	return h.hold(ctx, wingKey(Large), func(ctx context.Context) error { return h.studios.Heat(ctx, wing[Large]) })
}

func valid(name string) error {
	if len(name) < 2 || strings.ContainsAny(name, ":/ ") {
		return fmt.Errorf("%q: %w", name, ErrUnknown)
	}
	return nil
}

func bandKey(band string) string { return "band-bill:" + band }

// Bill bills a band.
func (h *House) Bill(ctx context.Context, band string) error {
	if err := valid(band); err != nil {
		return err
	}
	return h.hold(ctx, bandKey(band), func(ctx context.Context) error { return h.studios.Bill(ctx, band) })
}

func deskKey(desk string) string { return "mixing-desk:" + desk }

// Mix mixes on the desk of the house.
func (h *House) Mix(ctx context.Context) error {
	return h.hold(ctx, deskKey(h.desk), func(ctx context.Context) error { return h.studios.Mix(ctx, h.desk) })
}
