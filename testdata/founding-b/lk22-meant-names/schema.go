// EXPECT-NONE

// Package meantnames changes the schema of tenants; its names are alike because they mean different things.
package meantnames

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("tenant is in use")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Schema does the work.
type Schema interface {
	Migrate(ctx context.Context, tenant int64) error
	Rollback(ctx context.Context, tenant int64) error
	Port(ctx context.Context, receipt int64) error
	Card(ctx context.Context, card int64) error
	Cast(ctx context.Context, cast int64) error
	Rebuild(ctx context.Context) error
	Rename(ctx context.Context, user int64) error
}

type Tool struct {
	rdb    redis.UniversalClient
	schema Schema
}

func (t *Tool) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := t.rdb.SetNX(ctx, key, owner, 45*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, t.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	return fn(work)
}

func migrateKey(tenant int64) string { return fmt.Sprintf("schema:migrate:%d", tenant) }

func rollbackKey(tenant int64) string { return fmt.Sprintf("schema:rollback:%d", tenant) }

// Migrate brings a tenant forward.
func (t *Tool) Migrate(ctx context.Context, tenant int64) error {
	return t.hold(ctx, migrateKey(tenant), func(ctx context.Context) error { return t.schema.Migrate(ctx, tenant) })
}

// Rollback brings a tenant back; the schema itself refuses to go both ways at once.
func (t *Tool) Rollback(ctx context.Context, tenant int64) error {
	return t.hold(ctx, rollbackKey(tenant), func(ctx context.Context) error { return t.schema.Rollback(ctx, tenant) })
}

// receiptKeys are what the last version and this one hold; both are taken while both run.
func receiptKeys(receipt int64) (v1, v2 string) {
	return fmt.Sprintf("receipt:v1:%d", receipt), fmt.Sprintf("receipt:v2:%d", receipt)
}

// Port carries a receipt over, away from both versions.
func (t *Tool) Port(ctx context.Context, receipt int64) error {
	v1, v2 := receiptKeys(receipt)
	return t.hold(ctx, v1, func(ctx context.Context) error {
		return t.hold(ctx, v2, func(ctx context.Context) error { return t.schema.Port(ctx, receipt) })
	})
}

// cardKey and castKey differ in a letter, and in what they are.
func cardKey(card int64) string { return fmt.Sprintf("theatre:card:%d", card) }

func castKey(cast int64) string { return fmt.Sprintf("theatre:cast:%d", cast) }

// Card prints a visiting card.
func (t *Tool) Card(ctx context.Context, card int64) error {
	return t.hold(ctx, cardKey(card), func(ctx context.Context) error { return t.schema.Card(ctx, card) })
}

// Cast chooses the actors of a play.
func (t *Tool) Cast(ctx context.Context, cast int64) error {
	return t.hold(ctx, castKey(cast), func(ctx context.Context) error { return t.schema.Cast(ctx, cast) })
}

// usersKey is the whole index, userKey one user.
const usersKey = "directory:users"

func userKey(user int64) string { return fmt.Sprintf("directory:user:%d", user) }

// Rebuild makes the index of all users again.
func (t *Tool) Rebuild(ctx context.Context) error { return t.hold(ctx, usersKey, t.schema.Rebuild) }

// Rename gives a user another name.
func (t *Tool) Rename(ctx context.Context, user int64) error {
	return t.hold(ctx, userKey(user), func(ctx context.Context) error { return t.schema.Rename(ctx, user) })
}
