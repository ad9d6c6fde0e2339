// Package region locks the regions of a map.
package region

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrRendering = errors.New("region is being rendered")

type Locker struct {
	rdb  *redis.Client
	node string
	drop string
}

// NewLocker is called once by every process; node is its name.
func NewLocker(rdb *redis.Client, node string) *Locker {
	return &Locker{rdb: rdb, node: node, drop: `
		if redis.call("get", KEYS[1]) == ARGV[1] then
			return redis.call("del", KEYS[1])
		end
		return 0`}
}

// Handle is a region that was taken.
type Handle struct {
	l   *Locker
	key string
}

func regionKey(n int) string { return fmt.Sprintf("tiles:region:%d", n) }

// Take takes a region in the name of the process.
func (l *Locker) Take(ctx context.Context, n int) (*Handle, error) {
	h := &Handle{l: l, key: regionKey(n)}
	ok, err := l.rdb.SetNX(ctx, h.key, "render/"+l.node, 30*time.Second).Result() // EXPECT: constant-owner
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrRendering
	}
	return h, nil
}

// Give gives the region back, as long as the name of the process stands there.
func (h *Handle) Give(ctx context.Context) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	if err := h.l.rdb.Eval(end, h.l.drop, []string{h.key}, "render/"+h.l.node).Err(); err != nil {
		slog.Warn("region stays taken", "key", h.key, "err", err)
	}
}
