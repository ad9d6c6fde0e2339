// EXPECT-NONE

// Package breaker uses a library's type that the same library also wraps with a lock. Who only uses the type goes past
// nothing.
package breaker

import (
	"context"
	"fmt"
	"net/http"

	"github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker/v2"
)

// Gate calls a partner.
type Gate struct {
	breaker *gobreaker.CircuitBreaker[*http.Response]
	rdb     *redis.Client
	next    http.RoundTripper
}

// New makes one.
func New(rdb *redis.Client, next http.RoundTripper) *Gate {
	return &Gate{breaker: gobreaker.NewCircuitBreaker[*http.Response](gobreaker.Settings{Name: "partner"}), rdb: rdb, next: next}
}

// RoundTrip sends one request, and counts it.
func (g *Gate) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := g.breaker.Execute(func() (*http.Response, error) { return g.next.RoundTrip(req) })
	if err != nil {
		return nil, fmt.Errorf("partner: %w", err)
	}
	return resp, g.rdb.Incr(context.WithoutCancel(req.Context()), "partner:calls").Err()
}
