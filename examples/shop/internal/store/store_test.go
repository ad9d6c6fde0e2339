package store

import (
	"errors"
	"slices"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

func TestRows(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
	t.Cleanup(func() { rdb.Close() })
	s, ctx := New(rdb), t.Context()

	if _, err := s.Account(ctx, "ada"); !errors.Is(err, ErrNoRow) {
		t.Errorf("a missing row gives %v", err)
	}
	if err := s.SaveAccount(ctx, Account{Member: "ada", Balance: 40}); err != nil {
		t.Fatal(err)
	}
	read, err := s.Account(ctx, "ada")
	if err != nil || read.Balance != 40 {
		t.Fatalf("account %+v, %v", read, err)
	}
	read.Balance = 30
	if err := s.ChangeAccount(ctx, read); err != nil {
		t.Errorf("change of a fresh row: %v", err)
	}
	read.Balance = 20
	if err := s.ChangeAccount(ctx, read); !errors.Is(err, ErrStale) {
		t.Errorf("change of a stale row gives %v", err)
	}
	if now, err := s.Account(ctx, "ada"); err != nil || now.Balance != 30 || now.Version != 1 {
		t.Errorf("account %+v, %v", now, err)
	}
	if ids, err := s.IDs(ctx, "account"); err != nil || !slices.Equal(ids, []string{"ada"}) {
		t.Errorf("ids %q, %v", ids, err)
	}
}
