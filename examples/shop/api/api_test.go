package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

type bench struct {
	redis  *miniredis.Miniredis
	rows   *store.Store
	routes http.Handler
}

func newBench(t *testing.T) bench {
	t.Helper()
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { rdb.Close() })
	rows, ctx := store.New(rdb), t.Context()
	for _, err := range []error{
		rows.SaveAccount(ctx, store.Account{Member: "ada", Balance: 40}),
		rows.SaveLimit(ctx, store.Limit{Member: "ada", Amount: 100}),
		rows.SaveQuota(ctx, store.Quota{Member: "ada", Left: 3}),
		rows.SaveCase(ctx, store.Case{ID: "c1", State: "open"}),
		rows.SaveSettlement(ctx, store.Settlement{Merchant: "inn", Open: 70}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return bench{m, rows, New(rows, rdb).Handler()}
}

func (b bench) post(t *testing.T, path, body string, want int) {
	t.Helper()
	w := httptest.NewRecorder()
	b.routes.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	if w.Code != want {
		t.Errorf("%s %s: status %d (%s), want %d", path, body, w.Code, strings.TrimSpace(w.Body.String()), want)
	}
}

func TestRequests(t *testing.T) {
	b, ctx := newBench(t), t.Context()
	b.post(t, "/credit/deduct", `{"Member":"ada","Amount":120}`, http.StatusNoContent)
	b.post(t, "/credit/deduct", `{"Member":"ada","Amount":21}`, http.StatusUnprocessableEntity)
	b.post(t, "/credit/refund", `{"Member":"ada","Amount":30}`, http.StatusNoContent)
	b.post(t, "/credit/deduct", `{"Member":"bob","Amount":1}`, http.StatusNotFound)
	b.post(t, "/credit/deduct", `{"Amount":1}`, http.StatusUnprocessableEntity)
	b.post(t, "/quota/reserve", `{"Member":"ada","Count":2}`, http.StatusNoContent)
	b.post(t, "/quota/reserve", `{"Member":"ada","Count":2}`, http.StatusUnprocessableEntity)
	b.post(t, "/case/approve", `{"Case":"c1"}`, http.StatusNoContent)
	b.post(t, "/case/approve", `{"Case":"c1"}`, http.StatusConflict)
	b.post(t, "/settlement/close", `{"Merchant":"inn"}`, http.StatusNoContent)
	b.post(t, "/settlement/close", `not JSON`, http.StatusBadRequest)

	if a, err := b.rows.Account(ctx, "ada"); err != nil || a.Balance != -50 {
		t.Errorf("account %+v, %v", a, err)
	}
	if q, err := b.rows.Quota(ctx, "ada"); err != nil || q.Left != 1 {
		t.Errorf("quota %+v, %v", q, err)
	}
	if c, err := b.rows.Case(ctx, "c1"); err != nil || c.State != "approved" {
		t.Errorf("case %+v, %v", c, err)
	}
	if s, err := b.rows.Settlement(ctx, "inn"); err != nil || s.Open != 0 || s.Settled != 70 {
		t.Errorf("settlement %+v, %v", s, err)
	}
	for _, key := range b.redis.Keys() {
		if !strings.HasPrefix(key, "row:") && !strings.HasPrefix(key, "ids:") {
			t.Errorf("key %s is left", key)
		}
	}
}

// Deduct and Refund meet on one key, and what another flow holds stays with it.
func TestTakenKeys(t *testing.T) {
	b := newBench(t)
	for key, request := range map[string][]string{
		lock.CreditKey("ada"): {"/credit/deduct", "/credit/refund"},
		lock.QuotaKey("ada"):  {"/quota/reserve"},
	} {
		if err := b.redis.Set(key, "another flow"); err != nil {
			t.Fatal(err)
		}
		for _, path := range request {
			b.post(t, path, `{"Member":"ada","Amount":1,"Count":1}`, http.StatusConflict)
		}
		if got, err := b.redis.Get(key); err != nil || got != "another flow" {
			t.Errorf("%s is now %q, %v", key, got, err)
		}
	}
}

// What a caller is answered while Redis is down; a refund is answered as when its key is taken.
func TestOutage(t *testing.T) {
	b := newBench(t)
	b.redis.Close()
	b.post(t, "/credit/deduct", `{"Member":"ada","Amount":1}`, http.StatusServiceUnavailable)
	b.post(t, "/case/approve", `{"Case":"c1"}`, http.StatusServiceUnavailable)
	b.post(t, "/credit/refund", `{"Member":"ada","Amount":1}`, http.StatusConflict)
}
