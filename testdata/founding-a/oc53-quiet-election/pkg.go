// Package quietelection sends the daily letters of a club; whoever is first in a slot does it.
package quietelection

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Letters struct {
	rdb  *redis.Client
	host string
	send func(ctx context.Context, day string) error
}

func New(rdb *redis.Client, send func(context.Context, string) error) (*Letters, error) {
	host, err := os.Hostname()
	return &Letters{rdb: rdb, host: host, send: send}, err
}

func dayKey(day string) string { return fmt.Sprintf("letters:day:%s", day) }

func tidyKey() string { return "letters:tidy" }

// Tick is called every minute on every host. The mark of a day is never taken back: the letters must not go out twice.
func (l *Letters) Tick(ctx context.Context, now time.Time) error {
	day := now.UTC().Format(time.DateOnly)
	first, err := l.rdb.SetNX(ctx, dayKey(day), l.host, 48*time.Hour).Result() // ALSO-OK: constant-owner
	if err != nil {
		return fmt.Errorf("day %s: %w", day, err)
	}
	if !first {
		return nil
	}
	slog.Info("sending", "day", day, "host", l.host)
	return l.send(ctx, day)
}

// Tidy runs on one host every so often: the lease ends by itself and nobody gives it back.
func (l *Letters) Tidy(ctx context.Context, tidy func(context.Context) error) error {
	first, err := l.rdb.SetNX(ctx, tidyKey(), uuid.NewString(), 40*time.Second).Result()
	if err != nil || !first {
		return err
	}
	work, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	return tidy(work)
}
