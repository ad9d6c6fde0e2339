// Package depotlookup moves goods between depots; it looks up who is responsible for what.
package depotlookup

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
)

var (
	ErrBusy = errors.New("depot is in use")
	errLost = errors.New("depot was let go early")
)

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Place is where a depot is.
type Place struct {
	Region string
	City   string
}

// Depots does the work.
type Depots interface {
	Move(ctx context.Context, region string, good int64) error
	Audit(ctx context.Context, city string) error
	Label(ctx context.Context, owner string) error
	Sort(ctx context.Context, belt string) error
	Gate(ctx context.Context, gate string) error
	Ship(ctx context.Context, field string, order any) error
}

type Service struct {
	cli      redis.UniversalClient
	rs       *redsync.Redsync
	depots   Depots
	regionOf map[int64]string // good -> region
	places   map[int64]Place
	owners   sync.Map // label -> string
	belt     string
	gateOf   func(truck int64) string
}

// WithBelt returns a service for a depot that has a sorting belt.
func WithBelt(cli redis.UniversalClient, rs *redsync.Redsync, depots Depots, belt string) (*Service, error) {
	if belt == "" {
		return nil, errors.New("belt required")
	}
	s := New(cli, rs, depots, map[int64]string{})
	s.belt = belt
	return s, nil
}

// New returns a service for a depot without one.
func New(cli redis.UniversalClient, rs *redsync.Redsync, depots Depots, gates map[int64]string) *Service {
	s := &Service{cli: cli, rs: rs, depots: depots, regionOf: map[int64]string{}, places: map[int64]Place{}} // ALSO-OK: empty-key-part
	s.gateOf = func(truck int64) string {
		return lookup(gates, truck) // ALSO-OK: empty-key-part
	}
	return s
}

// lookup is map access as a function.
func lookup[K comparable](m map[K]string, k K) string {
	return m[k] // EXPECT: empty-key-part
}

func (s *Service) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := s.cli.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, s.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

func regionKey(region string) string { return "depot-region:" + region } // ALSO-OK: empty-key-part

// Move moves a good within its region.
func (s *Service) Move(ctx context.Context, good int64) error {
	region := s.regionOf[good]                                                                                         // EXPECT: empty-key-part
	return s.hold(ctx, regionKey(region), func(ctx context.Context) error { return s.depots.Move(ctx, region, good) }) // ALSO-OK: empty-key-part
}

func cityKey(p Place) string { return "audit-city/" + p.City } // ALSO-OK: empty-key-part

// Audit counts what is there.
func (s *Service) Audit(ctx context.Context, depot int64) error {
	p := s.places[depot]                                                                                   // EXPECT: empty-key-part
	return s.hold(ctx, cityKey(p), func(ctx context.Context) error { return s.depots.Audit(ctx, p.City) }) // ALSO-OK: empty-key-part
}

func ownerKey(owner string) string { return "relabel=" + owner } // ALSO-OK: empty-key-part

// Label prints a label again.
func (s *Service) Label(ctx context.Context, label int64) (err error) {
	v, _ := s.owners.Load(label) // EXPECT: empty-key-part
	owner, _ := v.(string)       // ALSO-OK: empty-key-part
	m := s.rs.NewMutex(ownerKey(owner), redsync.WithExpiry(20*time.Second), redsync.WithTries(3))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("label: %w", err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return s.depots.Label(work, owner)
}

func beltKey(belt string) string { return "sorting-belt:" + belt } // ALSO-OK: empty-key-part

// Sort runs the belt.
func (s *Service) Sort(ctx context.Context) error {
	key := beltKey(s.belt) // EXPECT: empty-key-part
	return s.hold(ctx, key, func(ctx context.Context) error { return s.depots.Sort(ctx, s.belt) })
}

func gateKey(gate string) string { return "truck-gate:" + gate } // ALSO-OK: empty-key-part

// Gate lets a truck in.
func (s *Service) Gate(ctx context.Context, truck int64) error {
	gate := s.gateOf(truck)                                                                                // ALSO-OK: empty-key-part
	return s.hold(ctx, gateKey(gate), func(ctx context.Context) error { return s.depots.Gate(ctx, gate) }) // ALSO-OK: empty-key-part
}

func orderKey(part string) string { return "order-by-field:" + part } // ALSO-OK: empty-key-part

// Ship ships any sort of order; field says which of its fields tells orders apart.
func (s *Service) Ship(ctx context.Context, field string, order any) error {
	v := reflect.Indirect(reflect.ValueOf(order)).FieldByName(field) // EXPECT: empty-key-part
	var part string                                                  // ALSO-OK: empty-key-part
	if v.IsValid() {
		part = v.String() // ALSO-OK: empty-key-part
	}
	return s.hold(ctx, orderKey(part), func(ctx context.Context) error { return s.depots.Ship(ctx, field, order) }) // ALSO-OK: empty-key-part
}
