// Package guard runs work that only one instance may do.
package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
	pkgerrors "github.com/pkg/errors"
)

// What callers can ask for.
var (
	ErrFailed = errors.New("guard: failed")
	ErrHeld   = errors.New("guard: held by another instance")
)

// Busy says who could not run.
type Busy struct{ Key string }

func (b Busy) Error() string { return b.Key + " is held" }

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Guard struct{ rdb *redis.Client }

func (g *Guard) key(job string) string { return "guard:job:" + job }

func (g *Guard) take(ctx context.Context, job, token string) (bool, error) {
	return g.rdb.SetNX(ctx, g.key(job), token, 30*time.Second).Result()
}

func (g *Guard) give(ctx context.Context, job, token string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	giveBack.Run(end, g.rdb, []string{g.key(job)}, token)
}

// Run has one sentinel for everything but Redis.
func (g *Guard) Run(ctx context.Context, job string, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		return fmt.Errorf("job %s: %w", job, err)
	}
	if !ok {
		return ErrFailed
	}
	defer g.give(ctx, job, token)
	if err := work(ctx); err != nil {
		return ErrFailed // EXPECT: work-error-conflated
	}
	return nil
}

// RunWrapped wraps the work's error in the sentinel of contention.
func (g *Guard) RunWrapped(ctx context.Context, job string, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		return err
	}
	if !ok {
		return ErrHeld
	}
	defer g.give(ctx, job, token)
	if err := work(ctx); err != nil {
		return fmt.Errorf("%w: %v", ErrHeld, err) // EXPECT: work-error-conflated
	}
	return nil
}

// RunBool says no for both.
func (g *Guard) RunBool(ctx context.Context, job string, work func(context.Context) bool) (bool, error) {
	token := uuid.NewString()
	if ok, err := g.take(ctx, job, token); err != nil || !ok {
		return false, err
	}
	defer g.give(ctx, job, token)
	if !work(ctx) {
		return false, nil // EXPECT: work-error-conflated
	}
	return true, nil
}

// RunDone tells only whether it was done.
func (g *Guard) RunDone(ctx context.Context, job string, work func(context.Context) error) (done bool) {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		panic(err)
	}
	if !ok {
		return false
	}
	defer g.give(ctx, job, token)
	return work(ctx) == nil // EXPECT: work-error-conflated
}

// RunTexts makes texts of both.
func (g *Guard) RunTexts(ctx context.Context, job string, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("job %s runs elsewhere", job)
	}
	defer g.give(ctx, job, token)
	if err := work(ctx); err != nil {
		return fmt.Errorf("job %s: %v", job, err) // EXPECT: work-error-conflated
	}
	return nil
}

// RunSwitch names its result and has one way out.
func (g *Guard) RunSwitch(ctx context.Context, job string, work func(context.Context) error) (err error) {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrHeld
	}
	defer g.give(ctx, job, token)
	if failed := work(ctx); failed != nil {
		err = ErrHeld
	}
	return err // EXPECT: work-error-conflated
}

// Do is right: contention has a sentinel.
func (g *Guard) Do(ctx context.Context, job string, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		return fmt.Errorf("job %s: %w", job, err)
	}
	if !ok {
		return fmt.Errorf("job %s: %w", job, ErrHeld)
	}
	defer g.give(ctx, job, token)
	return work(ctx)
}

// DoTyped is right: contention has a type.
func (g *Guard) DoTyped(ctx context.Context, job string, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		return err
	}
	if !ok {
		return Busy{Key: job}
	}
	defer g.give(ctx, job, token)
	return pkgerrors.Wrap(work(ctx), job)
}

// DoBool is right: whether it ran is one thing, what came of it another.
func (g *Guard) DoBool(ctx context.Context, job string, work func(context.Context) error) (ran bool, err error) {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil || !ok {
		return false, err
	}
	defer g.give(ctx, job, token)
	return true, work(ctx)
}

// DoAll is right: failed work has a sentinel of its own.
func (g *Guard) DoAll(ctx context.Context, job string, work func(context.Context) error) error {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		return err
	}
	if !ok {
		return ErrHeld
	}
	defer g.give(ctx, job, token)
	if err := work(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return nil
}

// DoSelf is right: it knows what it runs, and nobody asks which step it was.
func (g *Guard) DoSelf(ctx context.Context, job string) error {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil {
		return err
	}
	if !ok {
		return ErrHeld
	}
	defer g.give(ctx, job, token)
	return g.rdb.Incr(ctx, "guard:runs:"+job).Err()
}

// DoQuiet is right: the work has nothing to say.
func (g *Guard) DoQuiet(ctx context.Context, job string, work func()) (bool, error) {
	token := uuid.NewString()
	ok, err := g.take(ctx, job, token)
	if err != nil || !ok {
		return false, err
	}
	defer g.give(ctx, job, token)
	work()
	return true, nil
}
