// Package kilnbatch fires kilns. Its clients are rueidis, valkey and go-zero.
package kilnbatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/redis/rueidis"
	"github.com/valkey-io/valkey-go"
	"github.com/zeromicro/go-zero/core/stores/redis"
)

var ErrFiring = errors.New("kiln is firing")

var (
	giveBack  = rueidis.NewLuaScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	giveBackV = valkey.NewLuaScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

type Kilns struct {
	ru   rueidis.Client
	vk   valkey.Client
	gz   *redis.Redis
	fire func(ctx context.Context, kiln int64) error
}

func kilnKey(kiln int64) string { return fmt.Sprintf("kiln:%d:fire", kiln) }

func (k *Kilns) free(ctx context.Context, kiln int64, token string) {
	giveBack.Exec(context.WithoutCancel(ctx), k.ru, []string{kilnKey(kiln)}, []string{token})
}

func (k *Kilns) freeV(ctx context.Context, kiln int64, token string) {
	giveBackV.Exec(context.WithoutCancel(ctx), k.vk, []string{kilnKey(kiln)}, []string{token})
}

// Fire goes on when Redis fails.
func (k *Kilns) Fire(ctx context.Context, kiln int64) error {
	token := uuid.NewString()
	err := k.ru.Do(ctx, k.ru.B().Set().Key(kilnKey(kiln)).Value(token).Nx().ExSeconds(30).Build()).Error()
	if rueidis.IsRedisNil(err) { // EXPECT: fail-open
		return ErrFiring
	}
	defer k.free(ctx, kiln, token)
	return k.fire(ctx, kiln)
}

// FireV says busy for all.
func (k *Kilns) FireV(ctx context.Context, kiln int64) error {
	token := uuid.NewString()
	if err := k.vk.Do(ctx, k.vk.B().Set().Key(kilnKey(kiln)).Value(token).Nx().ExSeconds(30).Build()).Error(); err != nil { // EXPECT: error-conflated
		return ErrFiring
	}
	defer k.freeV(ctx, kiln, token)
	return k.fire(ctx, kiln)
}

// FireZ has go-zero's lock and one branch.
func (k *Kilns) FireZ(ctx context.Context, kiln int64) error {
	lock := redis.NewRedisLock(k.gz, kilnKey(kiln))
	lock.SetExpire(30)
	ok, err := lock.AcquireCtx(ctx)
	if err != nil || !ok { // EXPECT: error-conflated
		return ErrFiring
	}
	defer lock.ReleaseCtx(context.WithoutCancel(ctx))
	return k.fire(ctx, kiln)
}

// Cool is right.
func (k *Kilns) Cool(ctx context.Context, kiln int64) error {
	token := uuid.NewString()
	err := k.ru.Do(ctx, k.ru.B().Set().Key(kilnKey(kiln)).Value(token).Nx().ExSeconds(30).Build()).Error()
	switch {
	case rueidis.IsRedisNil(err):
		return ErrFiring
	case err != nil:
		return fmt.Errorf("kiln %d: %w", kiln, err)
	}
	defer k.free(ctx, kiln, token)
	return k.fire(ctx, kiln)
}

// CoolV is right.
func (k *Kilns) CoolV(ctx context.Context, kiln int64) error {
	token := uuid.NewString()
	err := k.vk.Do(ctx, k.vk.B().Set().Key(kilnKey(kiln)).Value(token).Nx().ExSeconds(30).Build()).Error()
	if err != nil {
		if valkey.IsValkeyNil(err) {
			return ErrFiring
		}
		return err
	}
	defer k.freeV(ctx, kiln, token)
	return k.fire(ctx, kiln)
}

// CoolZ is right.
func (k *Kilns) CoolZ(ctx context.Context, kiln int64) error {
	lock := redis.NewRedisLock(k.gz, kilnKey(kiln))
	lock.SetExpire(30)
	if ok, err := lock.AcquireCtx(ctx); err != nil {
		return err
	} else if !ok {
		return ErrFiring
	}
	defer lock.ReleaseCtx(context.WithoutCancel(ctx))
	return k.fire(ctx, kiln)
}

// Check goes on when go-zero's client fails.
func (k *Kilns) Check(ctx context.Context, kiln int64) error {
	lock := redis.NewRedisLock(k.gz, kilnKey(kiln))
	lock.SetExpire(30)
	ok, err := lock.AcquireCtx(ctx)
	if err != nil { // EXPECT: fail-open
		slog.Warn("kiln", "kiln", kiln, "err", err)
	} else if !ok {
		return ErrFiring
	}
	defer lock.ReleaseCtx(context.WithoutCancel(ctx))
	return k.fire(ctx, kiln)
}
