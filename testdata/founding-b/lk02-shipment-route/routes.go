// Package shipmentroute sends shipments on their way.
package shipmentroute

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"example.test/foundingb/lk02-shipment-route/customs"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrBusy = errors.New("shipment is being routed")
	errLost = errors.New("dock was let go early")
)

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Redis is the lock of all replicas.
type Redis struct{ Client redis.UniversalClient }

// Hold implements customs.Locks.
func (r Redis) Hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := r.Client.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, r.Client, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return fn(work)
}

// Trucks drive.
type Trucks interface {
	Dispatch(ctx context.Context, shipment int64) error
	Load(ctx context.Context, dock int64) error
	Sweep(ctx context.Context, dock int64) error
}

type Router struct {
	locks   customs.Locks
	rs      *redsync.Redsync
	trucks  Trucks
	Customs *customs.Clerk
}

// New wires a router and its clerk.
func New(cli redis.UniversalClient, rs *redsync.Redsync, trucks Trucks, office customs.Office) *Router {
	locks := Redis{Client: cli}
	return &Router{locks: locks, rs: rs, trucks: trucks, Customs: &customs.Clerk{Locks: locks, Office: office}}
}

// Dispatch sends a shipment.
func (r *Router) Dispatch(ctx context.Context, shipment int64) error {
	key := fmt.Sprintf("shipment:%d:route", shipment)                                                          // EXPECT: key-from-strings
	return r.locks.Hold(ctx, key, func(ctx context.Context) error { return r.trucks.Dispatch(ctx, shipment) }) // ALSO-OK: key-from-strings, duplicate-prefix
}

// Load loads the truck at a dock.
func (r *Router) Load(ctx context.Context, dock int64) (err error) {
	m := r.rs.NewMutex("loading-dock:"+strconv.FormatInt(dock, 10), redsync.WithExpiry(30*time.Second)) // EXPECT: key-from-strings
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("dock %d: %w", dock, err)
	}
	defer func() { err = errors.Join(err, giveBack(ctx, m)) }()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return r.trucks.Load(work, dock)
}

// Sweep cleans a dock.
func (r *Router) Sweep(ctx context.Context, dock int64) (err error) {
	// ALSO-OK: duplicate-prefix
	m := r.rs.NewMutex("loading-dock:"+strconv.FormatInt(dock, 10), redsync.WithExpiry(30*time.Second)) // EXPECT: key-from-strings
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("dock %d: %w", dock, err)
	}
	defer func() { err = errors.Join(err, giveBack(ctx, m)) }()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return r.trucks.Sweep(work, dock)
}

func giveBack(ctx context.Context, m *redsync.Mutex) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	if ok, err := m.UnlockContext(end); err != nil || !ok {
		return errors.Join(errLost, err)
	}
	return nil
}
