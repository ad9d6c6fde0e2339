// Package shortdeeper orders parts from suppliers, under locks of its own helper.
package shortdeeper

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrPart = errors.New("part is being ordered")

const give = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

type Shop struct {
	rdb  redis.Cmdable
	http *http.Client
	ack  chan struct{}
}

func New(rdb redis.Cmdable) *Shop {
	return &Shop{rdb: rdb, http: &http.Client{Timeout: 40 * time.Second}, ack: make(chan struct{})}
}

func partKey(part int) string { return fmt.Sprintf("shop:part:%d:order", part) }

func toolKey(part int) string { return fmt.Sprintf("shop:tool:%d:order", part) }

func listKey(part int) string { return fmt.Sprintf("shop:list:%d:order", part) }

func waitKey(part int) string { return fmt.Sprintf("shop:wait:%d:order", part) }

// hold runs fn under a lease of twelve seconds.
func (s *Shop) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	own := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, key, own, 12*time.Second).Result() // ALSO-OK: short-ttl
	if err != nil {
		return err
	}
	if !ok {
		return ErrPart
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, s.rdb.Eval(end, give, []string{key}, own).Err())
	}()
	return fn(ctx)
}

func (s *Shop) post(ctx context.Context, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://suppliers"+path, nil)
	if err != nil {
		return err
	}
	res, err := s.http.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Part trusts the client's timeout, which is longer than the lease.
func (s *Shop) Part(ctx context.Context, part int) error {
	return s.hold(ctx, partKey(part), func(ctx context.Context) error { // EXPECT: short-ttl
		return s.post(ctx, fmt.Sprintf("/parts/%d", part))
	})
}

// Tool gives the same call five seconds.
func (s *Shop) Tool(ctx context.Context, part int) error {
	return s.hold(ctx, toolKey(part), func(ctx context.Context) error {
		work, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		return s.post(work, fmt.Sprintf("/tools/%d", part))
	})
}

// List waits for an answer, but not for longer than its context lives.
func (s *Shop) List(ctx context.Context, part int) error {
	return s.hold(ctx, listKey(part), func(ctx context.Context) error {
		work, stop := context.WithTimeout(ctx, 8*time.Second)
		defer stop()
		select {
		case <-s.ack:
			return nil
		case <-time.After(time.Hour):
			return errors.New("no answer for an hour")
		case <-work.Done():
			return work.Err()
		}
	})
}

// Wait waits for as long as a timer runs.
func (s *Shop) Wait(ctx context.Context, part int) error {
	return s.hold(ctx, waitKey(part), func(ctx context.Context) error { // EXPECT: short-ttl
		t := time.NewTimer(20 * time.Second)
		defer t.Stop()
		<-t.C
		return ctx.Err()
	})
}
