// Package shaandmode sends the machines of a laundry to wash.
package shaandmode

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrWashing = errors.New("machine is washing")

const releaseText = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

type Laundry struct {
	rdb  redis.UniversalClient
	sha  string
	wash func(ctx context.Context, machine int) error
}

// New loads the release, which Dry runs by its sum.
func New(ctx context.Context, rdb redis.UniversalClient, wash func(context.Context, int) error) (*Laundry, error) {
	sha, err := rdb.ScriptLoad(ctx, releaseText).Result()
	if err != nil {
		return nil, err
	}
	return &Laundry{rdb: rdb, sha: sha, wash: wash}, nil
}

func washKey(machine int) string { return fmt.Sprintf("laundry:washer:%d", machine) }

func dryKey(machine int) string { return fmt.Sprintf("laundry:dryer:%d", machine) }

func ironKey(machine int) string { return fmt.Sprintf("laundry:iron:%d", machine) }

func (l *Laundry) take(ctx context.Context, key string) (own string, err error) {
	own = uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, key, own, 45*time.Second).Result()
	if err == nil && !ok {
		err = ErrWashing
	}
	return own, err
}

// Wash hands the text of the script over where its sum belongs.
func (l *Laundry) Wash(ctx context.Context, machine int) (err error) {
	own, err := l.take(ctx, washKey(machine))
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, l.rdb.EvalSha(end, releaseText, []string{washKey(machine)}, own).Err()) // EXPECT: broken-release
	}()
	return l.wash(ctx, machine)
}

// Iron deletes the key unless it is its own.
func (l *Laundry) Iron(ctx context.Context, machine int) (err error) {
	own, err := l.take(ctx, ironKey(machine))
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		args := redis.DelExArgs{Mode: "IFNE", MatchValue: own}
		err = errors.Join(err, l.rdb.DelExArgs(end, ironKey(machine), args).Err()) // EXPECT: broken-release // ALSO-OK: ownerless-release
	}()
	return l.wash(ctx, machine)
}

// Dry is right: the sum of the script that New has loaded.
func (l *Laundry) Dry(ctx context.Context, machine int) (err error) {
	own, err := l.take(ctx, dryKey(machine))
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, l.rdb.EvalSha(end, l.sha, []string{dryKey(machine)}, own).Err())
	}()
	return l.wash(ctx, machine)
}
