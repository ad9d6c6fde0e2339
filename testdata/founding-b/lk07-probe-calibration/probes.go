// Package probecalibration calibrates the probes of a laboratory.
package probecalibration

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("probe is in use")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Sensor is what is inside a probe.
type Sensor struct{ Serial string }

// Setup says how a probe is used.
type Setup struct {
	Probe  int64
	Sensor *Sensor
	Seen   time.Time
}

// Bench does the work.
type Bench interface {
	Measure(ctx context.Context, probe int64) error
	Zero(ctx context.Context, s *Sensor) error
	Mount(ctx context.Context, s Setup) error
	Tag(ctx context.Context, labels map[string]string) error
	Heat(ctx context.Context, probe int64) error
	Cool(ctx context.Context, probe int64) error
}

type Lab struct {
	rdb   redis.Cmdable
	rs    *redsync.Redsync
	bench Bench
}

func (l *Lab) hold(ctx context.Context, key string, fn func(context.Context) error) (err error) {
	owner := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, key, owner, 20*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, release.Run(end, l.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return fn(work)
}

// Measure reads a probe.
func (l *Lab) Measure(ctx context.Context, probe int64) error {
	key := fmt.Sprintf("probe:measure:%d:%d", probe, time.Now().UnixNano())                         // EXPECT: unstable-key
	return l.hold(ctx, key, func(ctx context.Context) error { return l.bench.Measure(ctx, probe) }) // ALSO-OK: key-from-strings
}

// Zero sets the zero point of a sensor.
func (l *Lab) Zero(ctx context.Context, s *Sensor) error {
	key := fmt.Sprintf("sensor-zero:%p", s)                                                  // EXPECT: unstable-key
	return l.hold(ctx, key, func(ctx context.Context) error { return l.bench.Zero(ctx, s) }) // ALSO-OK: key-from-strings
}

// Mount puts a probe into the machine.
func (l *Lab) Mount(ctx context.Context, s Setup) error {
	key := "mounting:" + fmt.Sprintf("%+v", s)                                                // EXPECT: unstable-key
	return l.hold(ctx, key, func(ctx context.Context) error { return l.bench.Mount(ctx, s) }) // ALSO-OK: key-from-strings
}

// Tag prints the labels of a box; boxes are told apart by them.
func (l *Lab) Tag(ctx context.Context, labels map[string]string) error {
	var b strings.Builder
	b.WriteString("box-labels")
	for name, value := range labels { // ALSO-OK: unstable-key
		b.WriteString("," + name + "=" + value) // EXPECT: unstable-key
	}
	// whichever order the map had
	return l.hold(ctx, b.String(), func(ctx context.Context) error { return l.bench.Tag(ctx, labels) }) // ALSO-OK: unstable-key, key-from-strings
}

// Heat warms a probe up.
func (l *Lab) Heat(ctx context.Context, probe int64) error {
	key := strconv.AppendInt([]byte("heating/"), probe, 10)
	key = append(key, '/')
	key = strconv.AppendInt(key, time.Now().Unix(), 10)                                                  // EXPECT: unstable-key
	return l.hold(ctx, string(key), func(ctx context.Context) error { return l.bench.Heat(ctx, probe) }) // ALSO-OK: unstable-key, key-from-strings
}

var errLost = errors.New("probe was let go early")

// Cool cools a probe down.
func (l *Lab) Cool(ctx context.Context, probe int64) (err error) {
	// ALSO-OK: key-from-strings
	name := fmt.Sprint("cooling-", probe, "-", time.Now()) // EXPECT: unstable-key
	m := l.rs.NewMutex(name, redsync.WithExpiry(30*time.Second), redsync.WithTries(3))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("cool: %w", err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 25*time.Second)
	defer cancel()
	return l.bench.Cool(work, probe)
}
