// Package reserve reserves things and says how to free them.
package reserve

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

// Reserver reserves.
type Reserver struct{ rdb redis.Cmdable }

func New(rdb redis.Cmdable) *Reserver { return &Reserver{rdb: rdb} }

// Try reserves the key. The function that it returns is never nil; it frees the key, and may only be called if the
// key was reserved.
func (r *Reserver) Try(ctx context.Context, key string, ttl time.Duration) (free func(), ok bool, err error) {
	ok, err = r.rdb.SetNX(ctx, key, uuid.NewString(), ttl).Result()
	free = func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if err := r.rdb.Del(end, key).Err(); err != nil { // EXPECT: ownerless-release
			slog.Warn("stays reserved", "key", key, "err", err)
		}
	}
	return free, ok, err
}
