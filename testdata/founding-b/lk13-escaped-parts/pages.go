// EXPECT-NONE

// Package escapedparts edits pages; names that come from outside cannot contain the separator.
package escapedparts

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var (
	ErrBusy = errors.New("page is being edited")
	ErrName = errors.New("name must be lower-case letters and digits")
)

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Wiki does the work.
type Wiki interface {
	Edit(ctx context.Context, space, page string) error
	Comment(ctx context.Context, space, page string) error
	Attach(ctx context.Context, page int64, file string) error
	Vote(ctx context.Context, page, user int64) error
	Link(ctx context.Context, from, to string) error
}

type Editor struct {
	cli  redis.UniversalClient
	wiki Wiki
}

func (e *Editor) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := e.cli.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, e.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

var plainName = regexp.MustCompile(`^[a-z0-9]+$`)

// pageKey says no to names with anything but letters and digits.
func pageKey(space, page string) (string, error) {
	if !plainName.MatchString(space) || !plainName.MatchString(page) {
		return "", ErrName
	}
	return "wiki-page:" + space + ":" + page, nil
}

// Edit edits a page.
func (e *Editor) Edit(ctx context.Context, space, page string) error {
	key, err := pageKey(space, page)
	if err != nil {
		return err
	}
	return e.hold(ctx, key, func(ctx context.Context) error { return e.wiki.Edit(ctx, space, page) })
}

// commentKey escapes, so that no slash is left in either part.
func commentKey(space, page string) string {
	return "remarks/" + url.PathEscape(space) + "/" + url.PathEscape(page)
}

// Comment adds a remark.
func (e *Editor) Comment(ctx context.Context, space, page string) error {
	if space == "" || page == "" {
		return ErrName
	}
	return e.hold(ctx, commentKey(space, page), func(ctx context.Context) error { return e.wiki.Comment(ctx, space, page) })
}

// fileKey has the free text last, behind a number.
func fileKey(page int64, file string) string { return fmt.Sprintf("attachment:%d:%s", page, file) }

// Attach adds a file.
func (e *Editor) Attach(ctx context.Context, page int64, file string) error {
	if file == "" {
		return ErrName
	}
	return e.hold(ctx, fileKey(page, file), func(ctx context.Context) error { return e.wiki.Attach(ctx, page, file) })
}

func voteKey(page, user int64) string {
	return strings.Join([]string{"page-vote", strconv.FormatInt(page, 10), strconv.FormatInt(user, 10)}, "|")
}

// Vote counts a vote.
func (e *Editor) Vote(ctx context.Context, page, user int64) error {
	return e.hold(ctx, voteKey(page, user), func(ctx context.Context) error { return e.wiki.Vote(ctx, page, user) })
}

// linkKey quotes both ends.
func linkKey(from, to string) string { return fmt.Sprintf("crosslink:%q%q", from, to) }

// Link links two pages.
func (e *Editor) Link(ctx context.Context, from, to string) error {
	if from == "" || to == "" {
		return ErrName
	}
	return e.hold(ctx, linkKey(from, to), func(ctx context.Context) error { return e.wiki.Link(ctx, from, to) })
}
