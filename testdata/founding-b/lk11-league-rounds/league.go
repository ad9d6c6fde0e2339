// Package leaguerounds plays a football league.
package leaguerounds

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"example.test/foundingb/lk11-league-rounds/fixture"
	"github.com/go-redis/redis/v8"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
)

var (
	ErrBusy  = errors.New("somebody else is at it")
	ErrInput = errors.New("names required")
	errLost  = errors.New("stadium was let go early")
)

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Club and Coach are names.
type (
	Club  string
	Coach string
)

// Games does the work.
type Games interface {
	Draw(ctx context.Context, season, round int) error
	Hire(ctx context.Context, club, player string) error
	Play(ctx context.Context, home, away int64) error
	Swap(ctx context.Context, club Club, coach Coach) error
	Book(ctx context.Context, stadium, day int) error
	Whistle(ctx context.Context, referee, match int64) error
}

type League struct {
	cli     redis.UniversalClient
	rs      *redsync.Redsync
	games   Games
	names   fixture.Names
	whistle func(referee, match int64) string
}

// New returns a league.
func New(cli redis.UniversalClient, rs *redsync.Redsync, games Games) *League {
	l := &League{cli: cli, rs: rs, games: games, names: fixture.Friendly{}}
	l.whistle = func(referee, match int64) string {
		return fmt.Sprintf("whistle/%v%v", referee, match) // EXPECT: ambiguous-key
	}
	return l
}

func (l *League) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
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

// Draw draws who plays whom.
func (l *League) Draw(ctx context.Context, season, round int) error {
	return l.hold(ctx, fixture.Round(season, round), func(ctx context.Context) error { return l.games.Draw(ctx, season, round) })
}

// Hire gives a club a player.
func (l *League) Hire(ctx context.Context, club, player string) error {
	if club == "" || player == "" {
		return ErrInput
	}
	return l.hold(ctx, fixture.Player(club, player), func(ctx context.Context) error { return l.games.Hire(ctx, club, player) })
}

// Play plays a friendly match.
func (l *League) Play(ctx context.Context, home, away int64) error {
	return l.hold(ctx, l.names.Match(home, away), func(ctx context.Context) error { return l.games.Play(ctx, home, away) })
}

// Swap gives a club another coach.
func (l *League) Swap(ctx context.Context, club Club, coach Coach) error {
	if club == "" || coach == "" {
		return ErrInput
	}
	return l.hold(ctx, fixture.Pair(club, coach), func(ctx context.Context) error { return l.games.Swap(ctx, club, coach) })
}

// Whistle gives a match a referee.
func (l *League) Whistle(ctx context.Context, referee, match int64) error {
	return l.hold(ctx, l.whistle(referee, match), func(ctx context.Context) error { return l.games.Whistle(ctx, referee, match) })
}

// Book reserves a stadium for a day of the year.
func (l *League) Book(ctx context.Context, stadium, day int) (err error) {
	// ALSO-OK: key-from-strings
	name := "stadium-day:" + strconv.Itoa(stadium) + strconv.Itoa(day) // EXPECT: ambiguous-key
	m := l.rs.NewMutex(name, redsync.WithExpiry(20*time.Second), redsync.WithTries(3))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("book: %w", err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return l.games.Book(work, stadium, day)
}
