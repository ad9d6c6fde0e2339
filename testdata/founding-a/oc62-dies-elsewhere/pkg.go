// Package dieselsewhere migrates a database, once.
package dieselsewhere

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc62-dies-elsewhere/die"
)

var errBusy = errors.New("somebody else migrates")

func schemaKey() string { return "db:schema:migrate" }

func seedKey() string { return "db:seed:migrate" }

// Migrate ends the process where it does not get the lock.
func Migrate(ctx context.Context, rdb *redis.Client, owner string, run func(context.Context) error) error {
	ok, err := rdb.SetNX(ctx, schemaKey(), owner, 30*time.Second).Result()
	die.If(err)
	if !ok {
		die.Now("not migrated", errBusy)
	}
	defer rdb.Del(context.WithoutCancel(ctx), schemaKey()) // EXPECT: ownerless-release
	return run(ctx)
}

// Seed only says that it did not get it.
func Seed(ctx context.Context, rdb *redis.Client, owner string, run func(context.Context) error) error {
	ok, err := rdb.SetNX(ctx, seedKey(), owner, 30*time.Second).Result()
	die.If(err)
	if !ok {
		slog.Error("not seeded", "err", errBusy)
	}
	defer rdb.Del(context.WithoutCancel(ctx), seedKey()) // EXPECT: ownerless-release, release-not-acquired
	return run(ctx)
}
