package main

import (
	"testing"
	"time"

	"github.com/leasevet/leasevet/examples/shop/internal/store"
	"github.com/leasevet/leasevet/examples/shop/members"
	"github.com/leasevet/leasevet/examples/shop/statements"
)

func TestNightAndDay(t *testing.T) {
	rd, ctx := embedded(t), t.Context()
	rows, s := store.New(rd.rows), newShop(rd)
	seeded := []error{
		rows.SaveAccount(ctx, store.Account{Member: "ada", Balance: 40}),
		rows.SaveLimit(ctx, store.Limit{Member: "ada", Amount: 100}),
		rows.SaveSettlement(ctx, store.Settlement{Merchant: "inn", Open: 70}),
		rows.SavePayout(ctx, store.Payout{Merchant: "inn", Due: 30}),
	}
	for _, err := range seeded {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.limits.Raise(ctx, members.RaiseRequest{MemberID: "ada", To: 150}); err != nil {
		t.Fatal(err)
	}
	if err := s.night(ctx, time.Now()); err != nil {
		t.Fatal(err)
	}
	settled, err := rows.Settlement(ctx, "inn")
	if err != nil || settled.Settled != 70 || settled.Open != 0 {
		t.Errorf("settlement %+v, %v", settled, err)
	}
	paid, err := rows.Payout(ctx, "inn")
	if err != nil || paid.Sent != 30 || paid.Due != 0 {
		t.Errorf("payout %+v, %v", paid, err)
	}
	line, err := statements.Print(ctx, rows, "ada")
	if want := "ada: balance 40, may spend 190"; err != nil || line != want {
		t.Errorf("statement %q, %v; want %q", line, err, want)
	}
}
