// Package boiler has the lock of a boiler.
package boiler

import (
	"context"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Valve is one lock.
type Valve struct {
	rdb   redis.UniversalClient
	name  string
	token string
	open  bool
}

// New makes the lock of one boiler.
func New(rdb redis.UniversalClient, name string) *Valve {
	return &Valve{rdb: rdb, name: "boiler:valve:" + name, token: uuid.NewString()}
}

// Close takes the lock; it tells its callers nothing.
func (v *Valve) Close(ctx context.Context) error {
	_, err := v.rdb.SetNX(ctx, v.name, v.token, 20*time.Second).Result() // EXPECT: acquire-ignored
	return err
}

// TryClose takes the lock and says so.
func (v *Valve) TryClose(ctx context.Context) (bool, error) {
	return v.rdb.SetNX(ctx, v.name, v.token, 20*time.Second).Result()
}

// Shut takes the lock and keeps what came of it.
func (v *Valve) Shut(ctx context.Context) (err error) {
	v.open, err = v.rdb.SetNX(ctx, v.name, v.token, 20*time.Second).Result()
	return err
}

// Shutdown reports whether Shut took the lock.
func (v *Valve) IsShut() bool { return v.open }

// Open gives the lock back.
func (v *Valve) Open(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	return giveBack.Run(end, v.rdb, []string{v.name}, v.token).Err()
}
