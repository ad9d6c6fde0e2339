// EXPECT-NONE

// Package lease holds a key for as long as its owner lives.
package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrHeld = errors.New("held elsewhere")
	ErrLost = errors.New("lease was lost")
)

var (
	compareAndDelete = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	compareAndExpire = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
)

// Lease is one acquisition; it has an owner value of its own.
type Lease struct {
	rdb   redis.UniversalClient
	key   string
	owner string
	ttl   time.Duration
	stop  context.CancelCauseFunc
	done  chan struct{}
}

// Acquire takes the key and renews it until Release. The context that it returns ends when the lease is lost.
func Acquire(ctx context.Context, rdb redis.UniversalClient, key string, ttl time.Duration) (context.Context, *Lease, error) {
	l := &Lease{rdb: rdb, key: key, owner: uuid.NewString(), ttl: ttl, done: make(chan struct{})}
	ok, err := rdb.SetNX(ctx, key, l.owner, ttl).Result()
	if err != nil {
		return nil, nil, fmt.Errorf("lease %s: %w", key, err)
	}
	if !ok {
		return nil, nil, ErrHeld
	}
	held, stop := context.WithCancelCause(ctx)
	l.stop = stop
	go l.renew(held)
	return held, l, nil
}

func (l *Lease) renew(ctx context.Context) {
	defer close(l.done)
	tick := time.NewTicker(l.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := compareAndExpire.Run(ctx, l.rdb, []string{l.key}, l.owner, l.ttl.Milliseconds()).Int()
		if err != nil || n == 0 {
			l.stop(errors.Join(ErrLost, err))
			return
		}
	}
}

// Release ends renewal and lease.
func (l *Lease) Release() error {
	l.stop(nil)
	<-l.done
	end, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	return compareAndDelete.Run(end, l.rdb, []string{l.key}, l.owner).Err()
}
