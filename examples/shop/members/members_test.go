package members

import (
	"errors"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

func services(t *testing.T) (*miniredis.Miniredis, *store.Store, Limits, Reviews) {
	t.Helper()
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
	t.Cleanup(func() { rdb.Close() })
	rows := store.New(rdb)
	return m, rows, NewLimits(rows, rdb), NewReviews(rows, lock.NewOwned(rdb, lock.Lease, lock.RenewEvery))
}

func TestLimitsMove(t *testing.T) {
	_, rows, limits, _ := services(t)
	ctx := t.Context()
	if err := rows.SaveLimit(ctx, store.Limit{Member: "ada", Amount: 100}); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		do   func() error
		want int64
	}{
		{func() error { return limits.Raise(ctx, RaiseRequest{MemberID: "ada", To: 150}) }, 150},
		{func() error { return limits.Lower(ctx, LowerRequest{MemberID: "ada", To: 80}) }, 80},
		{func() error { return limits.RaiseAll(ctx, []RaiseRequest{{MemberID: "ada", To: 90}}) }, 90},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got, err := rows.Limit(ctx, "ada"); err != nil || got.Amount != step.want {
			t.Errorf("limit %+v, %v; want %d", got, err, step.want)
		}
	}
	if err := limits.Raise(ctx, RaiseRequest{MemberID: "ada", To: 1}); !errors.Is(err, ErrTryLater) {
		t.Errorf("a wrong raise gives %v", err)
	}
}

// A lowering waits for its own member only. A raise waits for the key without a member.
func TestLimitKeys(t *testing.T) {
	m, rows, limits, _ := services(t)
	ctx := t.Context()
	if err := rows.SaveLimit(ctx, store.Limit{Member: "ada", Amount: 100}); err != nil {
		t.Fatal(err)
	}
	if err := m.Set(lock.LimitKey("bob"), "locked"); err != nil {
		t.Fatal(err)
	}
	if err := limits.Lower(ctx, LowerRequest{MemberID: "ada", To: 90}); err != nil {
		t.Errorf("ada waits for bob: %v", err)
	}
	m.Del(lock.LimitKey("bob"))
	if err := m.Set(lock.LimitKey(""), "locked"); err != nil {
		t.Fatal(err)
	}
	if err := limits.Raise(ctx, RaiseRequest{MemberID: "ada", To: 200}); !errors.Is(err, ErrTryLater) {
		t.Errorf("raise under the key of all members gives %v", err)
	}
}

func TestReviews(t *testing.T) {
	m, rows, _, reviews := services(t)
	ctx := t.Context()
	for _, id := range []string{"c1", "c2"} {
		if err := rows.SaveCase(ctx, store.Case{ID: id, State: "open"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Set(lock.CaseKey("c2"), "another reviewer"); err != nil {
		t.Fatal(err)
	}
	all := []DecideRequest{{CaseID: "c1", State: "granted"}, {CaseID: "c2", State: "refused"}}
	if skipped, err := NewReviewDay(reviews).DecideAll(ctx, all); err != nil || skipped != 1 {
		t.Errorf("skipped %d, %v; want 1", skipped, err)
	}
	if c, err := rows.Case(ctx, "c1"); err != nil || c.State != "granted" {
		t.Errorf("case %+v, %v", c, err)
	}
	if c, err := rows.Case(ctx, "c2"); err != nil || c.State != "open" {
		t.Errorf("case %+v, %v", c, err)
	}
	if err := reviews.Decide(ctx, DecideRequest{}); !errors.Is(err, ErrNoCase) {
		t.Errorf("a decision without a case gives %v", err)
	}
	if err := reviews.Decide(ctx, all[0]); !errors.Is(err, ErrDecided) {
		t.Errorf("a second decision gives %v", err)
	}
}
