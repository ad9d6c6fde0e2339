// Package portberths gives berths to ships. Ships wait.
package portberths

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrFull = errors.New("berth is taken")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Port struct {
	rdb  *redis.Client
	gap  time.Duration
	dock func(ctx context.Context, berth int64) error
}

func berthKey(berth int64) string { return fmt.Sprintf("port:berth:%d", berth) }

func (p *Port) free(ctx context.Context, berth int64, token string) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	giveBack.Run(end, p.rdb, []string{berthKey(berth)}, token)
}

// Dock asks every 50 ms for as long as its caller lives.
func (p *Port) Dock(ctx context.Context, berth int64) error {
	token := uuid.NewString()
	for { // EXPECT: polling-wait
		ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	defer p.free(ctx, berth, token)
	return p.dock(ctx, berth)
}

// DockSleepy sleeps; the command's context ends the wait.
func (p *Port) DockSleepy(ctx context.Context, berth int64) error {
	token := uuid.NewString()
	ok, err := false, error(nil)
	for !ok { // EXPECT: polling-wait
		if ok, err = p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result(); err != nil {
			return err
		}
		if !ok {
			time.Sleep(p.gap)
		}
	}
	defer p.free(ctx, berth, token)
	return p.dock(ctx, berth)
}

// DockTicker asks at every tick.
func (p *Port) DockTicker(ctx context.Context, berth int64) error {
	token := uuid.NewString()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for { // EXPECT: polling-wait
		ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
		switch {
		case err != nil:
			return err
		case ok:
			defer p.free(ctx, berth, token)
			return p.dock(ctx, berth)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// DockTries has a limit: a note.
func (p *Port) DockTries(ctx context.Context, berth int64) error {
	token := uuid.NewString()
	for range 20 { // EXPECT: polling-wait(arguable)
		ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			defer p.free(ctx, berth, token)
			return p.dock(ctx, berth)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return ErrFull
}

// ServeHTTP waits for good, with a request at the other end.
func (p *Port) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := uuid.NewString()
	for { // EXPECT: unbounded-wait
		ok, err := p.rdb.SetNX(context.Background(), berthKey(1), token, 30*time.Second).Result()
		if err == nil && ok {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	defer p.free(r.Context(), 1, token)
	if err := p.dock(r.Context(), 1); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// DockGrowing lets the pause grow, for ever.
func (p *Port) DockGrowing(berth int64) error {
	ctx := context.Background()
	token := uuid.NewString()
	pause := 10 * time.Millisecond
	for { // EXPECT: unbounded-wait
		ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
		if err == nil && ok {
			break
		}
		time.Sleep(pause)
		pause *= 2
	}
	defer p.free(ctx, berth, token)
	return p.dock(ctx, berth)
}

// DockBackoff is right: the pause grows, and the context ends it.
func (p *Port) DockBackoff(ctx context.Context, berth int64) error {
	token := uuid.NewString()
	pause := 20 * time.Millisecond
	for {
		ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
			pause = min(2*pause, time.Second)
		}
	}
	defer p.free(ctx, berth, token)
	return p.dock(ctx, berth)
}

// DockJitter is right: the pause is random.
func (p *Port) DockJitter(ctx context.Context, berth int64) error {
	token := uuid.NewString()
	for {
		ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		time.Sleep(p.gap + rand.N(p.gap))
	}
	defer p.free(ctx, berth, token)
	return p.dock(ctx, berth)
}

// DockLater is right: a job that comes back at every tick and leaves what is taken.
func (p *Port) DockLater(ctx context.Context, berth int64) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		token := uuid.NewString()
		ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		err = p.dock(ctx, berth)
		p.free(ctx, berth, token)
		if err != nil {
			return err
		}
	}
}

// DockAny is right: it looks for a berth that is free.
func (p *Port) DockAny(ctx context.Context, berths []int64) error {
	for _, b := range berths {
		token := uuid.NewString()
		ok, err := p.rdb.SetNX(ctx, berthKey(b), token, 30*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			defer p.free(ctx, b, token)
			return p.dock(ctx, b)
		}
	}
	return ErrFull
}

// DockOnce is right.
func (p *Port) DockOnce(ctx context.Context, berth int64) error {
	token := uuid.NewString()
	ok, err := p.rdb.SetNX(ctx, berthKey(berth), token, 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrFull
	}
	defer p.free(ctx, berth, token)
	return p.dock(ctx, berth)
}
