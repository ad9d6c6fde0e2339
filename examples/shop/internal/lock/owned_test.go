package lock

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

func embedded(t *testing.T) (*miniredis.Miniredis, *redis.Client) {
	t.Helper()
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { rdb.Close() })
	return m, rdb
}

func TestOwnedTellsFailuresApart(t *testing.T) {
	m, rdb := embedded(t)
	owned := NewOwned(rdb, Lease, RenewEvery)
	failed := errors.New("work failed")
	inside := func(err error) func(context.Context) error { return func(context.Context) error { return err } }

	if err := owned.With(t.Context(), "k", 0, inside(failed)); !errors.Is(err, failed) || errors.Is(err, ErrBusy) {
		t.Errorf("work's failure came back as %v", err)
	}
	if m.Exists("k") {
		t.Error("the key stays after the work failed")
	}
	if err := m.Set("k", "somebody else"); err != nil {
		t.Fatal(err)
	}
	if err := owned.With(t.Context(), "k", 0, inside(nil)); !errors.Is(err, ErrBusy) {
		t.Errorf("contention came back as %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := owned.With(ctx, "k", -1, inside(nil)); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrBusy) {
		t.Errorf("an interrupted wait came back as %v", err)
	}
	m.Close()
	if err := owned.With(t.Context(), "k", 0, inside(nil)); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("an outage came back as %v", err)
	}
}

func TestOwnedWaitsForRelease(t *testing.T) {
	m, rdb := embedded(t)
	if err := m.Set("k", "somebody else"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(60*time.Millisecond, func() { m.Del("k") })
	ran := false
	err := NewOwned(rdb, Lease, RenewEvery).With(t.Context(), "k", 3*time.Second, func(context.Context) error {
		ran = true
		return nil
	})
	if err != nil || !ran {
		t.Errorf("ran %t, %v", ran, err)
	}
}

func TestOwnedStopsWorkWhenLeaseIsLost(t *testing.T) {
	m, rdb := embedded(t)
	err := NewOwned(rdb, time.Second, 10*time.Millisecond).With(t.Context(), "k", 0, func(ctx context.Context) error {
		if err := m.Set("k", "somebody else"); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(3 * time.Second):
			return errors.New("work was not stopped")
		}
	})
	if !errors.Is(err, ErrLost) {
		t.Errorf("a lost lease came back as %v", err)
	}
	if got, err := m.Get("k"); err != nil || got != "somebody else" {
		t.Errorf("the next owner's key is now %q, %v", got, err)
	}
}

func TestSpinWaits(t *testing.T) {
	m, rdb := embedded(t)
	if err := m.Set("k", "locked"); err != nil {
		t.Fatal(err)
	}
	spin := NewSpin(rdb, Lease)
	nothing := func(context.Context) error { return nil }
	if err := spin.With(t.Context(), "k", 0, nothing); !errors.Is(err, ErrBusy) {
		t.Errorf("one try on a taken key: %v", err)
	}
	time.AfterFunc(150*time.Millisecond, func() { m.Del("k") })
	if err := spin.With(t.Context(), "k", -1, nothing); err != nil {
		t.Errorf("waiting for the key: %v", err)
	}
	if m.Exists("k") {
		t.Error("the key stays after the work")
	}
}
