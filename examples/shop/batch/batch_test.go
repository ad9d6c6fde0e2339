package batch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

func embedded(t *testing.T) (*miniredis.Miniredis, *redis.Client, *store.Store) {
	t.Helper()
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { rdb.Close() })
	return m, rdb, store.New(rdb)
}

func TestSettlement(t *testing.T) {
	m, rdb, rows := embedded(t)
	ctx := t.Context()
	for _, merchant := range []string{"inn", "mill"} {
		if err := rows.SaveSettlement(ctx, store.Settlement{Merchant: merchant, Open: 70}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Set(lock.SettleKey("mill"), "locked"); err != nil {
		t.Fatal(err)
	}
	s := NewSettlement(rows, lock.NewSpin(rdb, lock.Lease))
	if skipped, err := s.CloseDay(ctx); err != nil || skipped != 1 {
		t.Errorf("skipped %d, %v; want 1", skipped, err)
	}
	if err := s.Reopen(ctx, "inn", 20); err != nil {
		t.Error(err)
	}
	if row, err := rows.Settlement(ctx, "inn"); err != nil || row.Open != 20 || row.Settled != 50 {
		t.Errorf("inn %+v, %v", row, err)
	}
	if err := s.CloseOne(ctx, "mill"); err != nil {
		t.Error(err)
	}
	if row, err := rows.Settlement(ctx, "mill"); err != nil || row.Settled != 70 {
		t.Errorf("mill %+v, %v", row, err)
	}
}

type bank struct{ sent map[string]int64 }

func (b bank) Send(_ context.Context, merchant string, amount int64) error {
	b.sent[merchant] += amount
	return nil
}

func TestPayouts(t *testing.T) {
	m, rdb, rows := embedded(t)
	ctx := t.Context()
	for _, merchant := range []string{"inn", "mill"} {
		if err := rows.SavePayout(ctx, store.Payout{Merchant: merchant, Due: 30}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Set(lock.PayoutKey("mill"), "another replica"); err != nil {
		t.Fatal(err)
	}
	sent := map[string]int64{}
	p := NewPayouts(rows, bank{sent}, rdb)
	if skipped, err := p.PayAll(ctx); err != nil || skipped != 1 {
		t.Errorf("skipped %d, %v; want 1", skipped, err)
	}
	if err := p.PayOne(ctx, "inn"); err != nil {
		t.Error(err)
	}
	if sent["inn"] != 30 || sent["mill"] != 0 {
		t.Errorf("sent %v; want inn once", sent)
	}
	if err := p.PayOne(ctx, "mill"); !errors.Is(err, lock.ErrBusy) {
		t.Errorf("a payout under way gives %v", err)
	}
	if m.Exists(lock.PayoutKey("inn")) || !m.Exists(lock.PayoutKey("mill")) {
		t.Error("want inn's key gone and mill's untouched")
	}
	m.Close()
	if err := p.PayOne(ctx, "mill"); err == nil || errors.Is(err, lock.ErrBusy) {
		t.Errorf("an outage gives %v", err)
	}
}

func TestJobs(t *testing.T) {
	_, rdb, rows := embedded(t)
	ctx := t.Context()
	seeded := errors.Join(
		rows.SaveHold(ctx, store.Hold{ID: "h1", Expires: 100, State: "open"}),
		rows.SaveHold(ctx, store.Hold{ID: "h2", Expires: 300, State: "open"}),
		rows.SaveQuota(ctx, store.Quota{Member: "ada"}),
		rows.SaveAccount(ctx, store.Account{Member: "ada", Balance: 40}))
	if seeded != nil {
		t.Fatal(seeded)
	}
	j := NewJobs(rows, rdb, lock.NewOwned(rdb, lock.Lease, lock.RenewEvery))
	err := errors.Join(j.ExpireHolds(ctx, time.Unix(200, 0)), j.FillQuotas(ctx, 10), j.ArchiveMonth(ctx, "2026-05"),
		j.ArchiveAgain(ctx, "2026-06", []string{"ada"}))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"h1": "expired", "h2": "open"} {
		if hold, err := rows.Hold(ctx, id); err != nil || hold.State != want {
			t.Errorf("hold %+v, %v; want %s", hold, err, want)
		}
	}
	if quota, err := rows.Quota(ctx, "ada"); err != nil || quota.Left != 10 {
		t.Errorf("quota %+v, %v", quota, err)
	}
	if kept, err := rows.Archive(ctx, "2026-06", "ada"); err != nil || kept.Balance != 40 {
		t.Errorf("archive %+v, %v", kept, err)
	}
	for end := time.Now().Add(3 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		kept, err := rows.Archive(ctx, "2026-05", "ada")
		if err == nil && kept.Balance == 40 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("archive %+v, %v", kept, err)
		}
	}
}
