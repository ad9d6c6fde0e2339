// Package millorders grinds orders. It waits for a mill for some time.
package millorders

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrGrinding = errors.New("mill is grinding")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Mill struct {
	rdb   *redis.Client
	grind func(ctx context.Context, mill int64) error
}

func millKey(mill int64) string { return fmt.Sprintf("mill:%d:stone", mill) }

func (m *Mill) free(ctx context.Context, mill int64, token string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	giveBack.Run(end, m.rdb, []string{millKey(mill)}, token)
}

// wait says no when it has waited long enough, and when it was told to stop.
func (m *Mill) wait(ctx context.Context, mill int64, token string) (bool, error) {
	for n := range 8 {
		ok, err := m.rdb.SetNX(ctx, millKey(mill), token, 30*time.Second).Result()
		if err != nil || ok {
			return ok, err
		}
		select {
		case <-ctx.Done():
			return false, nil // EXPECT: error-conflated
		case <-time.After(rand.N(time.Duration(n+1) * 50 * time.Millisecond)):
		}
	}
	return false, nil
}

// Grind waits.
func (m *Mill) Grind(ctx context.Context, mill int64) error {
	token := uuid.NewString()
	ok, err := m.wait(ctx, mill, token)
	if err != nil {
		return err
	}
	if !ok {
		return ErrGrinding
	}
	defer m.free(ctx, mill, token)
	return m.grind(ctx, mill)
}

// GrindSoon has one sentinel for both.
func (m *Mill) GrindSoon(ctx context.Context, mill int64) error {
	token := uuid.NewString()
	for end := time.Now().Add(time.Minute); ; time.Sleep(rand.N(time.Second)) {
		ok, err := m.rdb.SetNX(ctx, millKey(mill), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if ctx.Err() != nil {
			return ErrGrinding // EXPECT: error-conflated
		}
		if time.Now().After(end) {
			return ErrGrinding
		}
	}
	defer m.free(ctx, mill, token)
	return m.grind(ctx, mill)
}

// GrindPatiently is right: it tells that it was stopped.
func (m *Mill) GrindPatiently(ctx context.Context, mill int64) error {
	token := uuid.NewString()
	for n := 0; ; n++ {
		ok, err := m.rdb.SetNX(ctx, millKey(mill), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if n == 10 {
			return ErrGrinding
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(rand.N(time.Second)):
		}
	}
	defer m.free(ctx, mill, token)
	return m.grind(ctx, mill)
}

// GrindEver is right: only the context ends it, and that is what it says.
func (m *Mill) GrindEver(ctx context.Context, mill int64) error {
	token := uuid.NewString()
	for {
		ok, err := m.rdb.SetNX(ctx, millKey(mill), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return ErrGrinding
		case <-time.After(rand.N(time.Second)):
		}
	}
	defer m.free(ctx, mill, token)
	return m.grind(ctx, mill)
}
