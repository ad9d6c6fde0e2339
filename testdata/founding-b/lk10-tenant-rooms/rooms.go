// Package tenantrooms books the rooms of many tenants. Names of tenants, rooms and teams are free text.
package tenantrooms

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var (
	ErrBusy  = errors.New("somebody else is at it")
	ErrInput = errors.New("names required")
)

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Calendar does the work.
type Calendar interface {
	Do(ctx context.Context, what, tenant, name string) error
	Seat(ctx context.Context, row, seat int) error
}

type Rooms struct {
	rdb *redis.Client
	cal Calendar
}

// The key functions.

func bookingKey(tenant, room string) string {
	return "tenant-room:" + tenant + room // EXPECT: ambiguous-key
}

func teamKey(tenant, team string) string {
	return fmt.Sprintf("tenant-team/%s%s", tenant, team) // EXPECT: ambiguous-key
}

func doorKey(tenant, door string) string {
	return strings.Join([]string{"doorplate.", tenant, door}, "") // EXPECT: ambiguous-key
}

func keycardKey(tenant, card string) string {
	var b strings.Builder
	b.WriteString("keycard#")
	b.WriteString(tenant)
	b.WriteString(card) // EXPECT: ambiguous-key
	return b.String()
}

func parkingKey(tenant, plate string) string {
	return fmt.Sprint("parking=", tenant, plate) // EXPECT: ambiguous-key
}

func seatKey(row, seat int) string {
	b := strconv.AppendInt([]byte("seatplan:"), int64(row), 10)
	b = strconv.AppendInt(b, int64(seat), 10) // EXPECT: ambiguous-key
	return string(b)
}

func (r *Rooms) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := r.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, r.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Do runs one of the clerk's actions.
func (r *Rooms) Do(ctx context.Context, what, tenant, name string) error {
	if tenant == "" || name == "" {
		return ErrInput
	}
	var key string
	switch what {
	case "book":
		key = bookingKey(tenant, name)
	case "team":
		key = teamKey(tenant, name)
	case "door":
		key = doorKey(tenant, name)
	case "card":
		key = keycardKey(tenant, name)
	case "park":
		key = parkingKey(tenant, name)
	default:
		return fmt.Errorf("%s: %w", what, ErrInput)
	}
	return r.hold(ctx, key, func(ctx context.Context) error { return r.cal.Do(ctx, what, tenant, name) })
}

// Seat reserves a seat.
func (r *Rooms) Seat(ctx context.Context, row, seat int) error {
	return r.hold(ctx, seatKey(row, seat), func(ctx context.Context) error { return r.cal.Seat(ctx, row, seat) })
}
