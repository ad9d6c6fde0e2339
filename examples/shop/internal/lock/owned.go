package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

const (
	// Lease is how long a key outlives a flow that died.
	Lease = 30 * time.Second
	// RenewEvery leaves two more chances to renew when one fails.
	RenewEvery = Lease / 3

	releaseTimeout = 2 * time.Second
	firstPause     = 20 * time.Millisecond
	longestPause   = time.Second
)

var (
	compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`)

	compareAndExpire = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`)
)

// Owned is a lock that only its owner can release or extend, and that is renewed while the owner lives.
type Owned struct {
	rdb          redis.UniversalClient
	lease, every time.Duration
}

// NewOwned returns a lock with the given lease, renewed at the given interval.
func NewOwned(rdb redis.UniversalClient, lease, every time.Duration) *Owned {
	return &Owned{rdb: rdb, lease: lease, every: every}
}

// Held is one acquired key. The flow that acquired it must release it.
type Held struct {
	owned      *Owned
	key, token string
	work       context.Context
	lose       context.CancelCauseFunc
	stop       context.CancelFunc
	stopped    chan struct{}
}

// Acquire takes the key; wait means what it means for Spin.
// The end of ctx is returned as such, neither as ErrBusy nor as a fault of Redis.
func (o *Owned) Acquire(ctx context.Context, key string, wait time.Duration) (*Held, error) {
	token := uuid.NewString()
	deadline := time.Now().Add(wait)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		ok, err := o.rdb.SetNX(ctx, key, token, o.lease).Result()
		if err != nil {
			return nil, fmt.Errorf("acquire %s: %w", key, err)
		}
		if ok {
			return o.hold(ctx, key, token), nil
		}
		left := time.Until(deadline)
		if wait >= 0 && left <= 0 {
			return nil, fmt.Errorf("%s: %w", key, ErrBusy)
		}
		next := pause/2 + rand.N(pause)
		if wait >= 0 {
			next = min(next, left)
		}
		if err := sleep(ctx, next); err != nil {
			return nil, fmt.Errorf("wait for %s: %w", key, err)
		}
	}
}

// With runs work while the key is held; the context of work ends when the lease is lost.
func (o *Owned) With(ctx context.Context, key string, wait time.Duration, work func(context.Context) error) (err error) {
	held, err := o.Acquire(ctx, key, wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release(ctx)) }()
	return work(held.Context())
}

func (o *Owned) hold(ctx context.Context, key, token string) *Held {
	work, lose := context.WithCancelCause(ctx)
	// The lease is kept until Release, also while the work winds down after its caller has left.
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	h := &Held{owned: o, key: key, token: token, work: work, lose: lose, stop: stop, stopped: make(chan struct{})}
	go h.renew(renewing)
	return h
}

// Context ends when the caller's ends, and with ErrLost as its cause when the lease is lost.
func (h *Held) Context() context.Context { return h.work }

// Release gives the key back, or returns ErrLost if it had passed to somebody else.
func (h *Held) Release(ctx context.Context) error {
	h.stop()
	<-h.stopped
	h.lose(nil)
	end, done := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer done()
	n, err := compareAndDelete.Run(end, h.owned.rdb, []string{h.key}, h.token).Int()
	if err != nil {
		return fmt.Errorf("release %s: %w", h.key, err)
	}
	if n == 0 {
		return fmt.Errorf("release %s: %w", h.key, ErrLost)
	}
	return nil
}

// renew extends the lease until Release. It gives up when somebody else owns the key,
// or when Redis was silent for so long that this can no longer be ruled out.
func (h *Held) renew(ctx context.Context) {
	defer close(h.stopped)
	tick := time.NewTicker(h.owned.every)
	defer tick.Stop()
	for proven := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case asked := <-tick.C:
			err := h.extend(ctx)
			if err == nil {
				proven = asked
				continue
			}
			if errors.Is(err, ErrLost) || time.Since(proven)+h.owned.every >= h.owned.lease {
				h.lose(errors.Join(ErrLost, err))
				return
			}
		}
	}
}

func (h *Held) extend(ctx context.Context) error {
	n, err := compareAndExpire.Run(ctx, h.owned.rdb, []string{h.key}, h.token, h.owned.lease.Milliseconds()).Int()
	if err != nil {
		return fmt.Errorf("extend %s: %w", h.key, err)
	}
	if n == 0 {
		return fmt.Errorf("extend %s: %w", h.key, ErrLost)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
