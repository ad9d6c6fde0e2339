package fence_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/fence"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// The database guards are tested on SQLite and PostgreSQL in lockrt/faults, whose module has their drivers.

func TestMemory(t *testing.T) {
	var m fence.Memory
	value := ""
	write := func(f int64, v string) error {
		return m.Write("r", f, func() error { value = v; return nil })
	}
	for _, step := range []struct {
		fence int64
		value string
		stale bool
		after string
	}{
		{10, "a", false, "a"}, {10, "again", false, "again"}, {12, "b", false, "b"},
		{11, "late", true, "b"}, {0, "none", true, "b"}, {-1, "none", true, "b"},
	} {
		err := write(step.fence, step.value)
		if errors.Is(err, fence.ErrStale) != step.stale || value != step.after {
			t.Errorf("%+v: err %v, value %q", step, err, value)
		}
	}
	var detail *fence.StaleError
	if err := write(3, ""); !errors.As(err, &detail) || detail.Seen != 12 || detail.Fence != 3 {
		t.Errorf("detail is %+v", detail)
	}
	boom := errors.New("boom")
	if err := m.Write("r", 13, func() error { return boom }); err != boom {
		t.Errorf("err is %v", err)
	}
	m.Forget("r")
	if err := write(1, "new"); err != nil {
		t.Error(err)
	}
}

func TestSet(t *testing.T) {
	rdb := redistest.Start(t).Client(t)
	ctx := context.Background()
	for _, key := range []string{"plain", "with:{tag}:in", "{}odd"} {
		const high = int64(1)<<52 + 1 // above what a float of 32 bits, below what one of 64 bits counts exactly
		if err := fence.Set(ctx, rdb, key, "a", 0, high); err != nil {
			t.Fatal(err)
		}
		err := fence.Set(ctx, rdb, key, "late", 0, high-1)
		var detail *fence.StaleError
		if !errors.As(err, &detail) || detail.Seen != high {
			t.Errorf("%s: err is %v", key, err)
		}
		if v := rdb.Get(ctx, key).Val(); v != "a" {
			t.Errorf("%s is %q", key, v)
		}
		if err := fence.Set(ctx, rdb, key, "b", time.Minute, high+1); err != nil {
			t.Error(err)
		}
		if ttl := rdb.PTTL(ctx, key).Val(); ttl <= 0 || ttl > time.Minute {
			t.Errorf("TTL of %s is %v", key, ttl)
		}
	}
	if err := fence.Set(ctx, rdb, "plain", "x", 0, 0); !errors.Is(err, fence.ErrStale) {
		t.Errorf("fence 0: %v", err)
	}
	rdb.Del(ctx, "list")
	rdb.RPush(ctx, "{list}:fenced", "x")
	if err := fence.Set(ctx, rdb, "list", "x", 0, 1); err == nil || errors.Is(err, fence.ErrStale) || errors.Is(err, redis.Nil) {
		t.Errorf("wrong type: %v", err)
	}
}
