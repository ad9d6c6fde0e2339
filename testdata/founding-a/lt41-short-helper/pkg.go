// Package shorthelper asks the offices of a county.
package shorthelper

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/lt41-short-helper/locks"
)

type County struct {
	rdb   redis.UniversalClient
	slow  *http.Client
	quick *http.Client
	base  string
}

// New gives the old offices more time than the new ones.
func New(rdb redis.UniversalClient, base string) *County {
	return &County{
		rdb:   rdb,
		base:  base,
		slow:  &http.Client{Timeout: 60 * time.Second},
		quick: &http.Client{Timeout: 5 * time.Second},
	}
}

func landKey(plot int64) string { return fmt.Sprintf("county:plot:%d:ask", plot) }

func carKey(car int64) string { return fmt.Sprintf("county:car:%d:ask", car) }

func taxKey(person int64) string { return fmt.Sprintf("county:tax:%d:ask", person) }

func (c *County) get(ctx context.Context, h *http.Client, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := h.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

// Land asks an office that may take a minute.
func (c *County) Land(ctx context.Context, plot int64) ([]byte, error) {
	return locks.Exclusive(ctx, c.rdb, landKey(plot), func(ctx context.Context) ([]byte, error) { // EXPECT: short-ttl
		return c.get(ctx, c.slow, fmt.Sprintf("/land/%d", plot))
	})
}

// Car asks an office that answers in five seconds or not at all.
func (c *County) Car(ctx context.Context, car int64) ([]byte, error) {
	return locks.Exclusive(ctx, c.rdb, carKey(car), func(ctx context.Context) ([]byte, error) {
		return c.get(ctx, c.quick, fmt.Sprintf("/cars/%d", car))
	})
}

// Tax gives its office a minute and a half.
func (c *County) Tax(ctx context.Context, person int64) (int, error) {
	return locks.Exclusive(ctx, c.rdb, taxKey(person), func(ctx context.Context) (int, error) { // EXPECT: short-ttl
		work, stop := context.WithTimeout(ctx, 90*time.Second)
		defer stop()
		body, err := c.get(work, http.DefaultClient, fmt.Sprintf("/tax/%d", person))
		return len(body), err
	})
}
