package tricky

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	b := New(nil)
	req := httptest.NewRequest("POST", "/jobs/new", strings.NewReader(`{"id": 7, "title": "Paint"}`))
	req.Header.Set("x-client", "test")
	rec := httptest.NewRecorder()
	b.Routes().ServeHTTP(rec, req)
	if got := rec.Body.String(); !strings.Contains(got, "Paint") || len(b.items) != 1 || b.items[0].ID != 7 {
		t.Errorf("answer %q, items %v", got, b.items)
	}
}

func TestTotal(t *testing.T) {
	if got := Total(int64(1), &Job{ID: 2}, busy, "none"); got != 7 {
		t.Errorf("Total = %d, want 7", got)
	}
}
