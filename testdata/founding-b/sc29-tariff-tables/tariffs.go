// EXPECT-NONE

// Package tarifftables publishes the tariffs of a power company.
package tarifftables

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
)

var errLost = errors.New("tariff was let go early")

// Publisher makes a tariff valid.
type Publisher interface {
	Publish(ctx context.Context, tariff int64) error
}

// Tables stores tariffs.
type Tables interface {
	Current(ctx context.Context, tariff int64) (version int64, err error)
	Activate(ctx context.Context, tariff, version int64) error
}

type publisher struct{ tables Tables }

func (p *publisher) Publish(ctx context.Context, tariff int64) error {
	version, err := p.tables.Current(ctx, tariff)
	if err != nil {
		return err
	}
	return p.tables.Activate(ctx, tariff, version+1)
}

type clustered struct {
	next Publisher
	rs   *redsync.Redsync
}

func tariffKey(tariff int64) string { return fmt.Sprintf("tariff:%d:publish", tariff) }

func (c *clustered) Publish(ctx context.Context, tariff int64) (err error) {
	m := c.rs.NewMutex(tariffKey(tariff), redsync.WithExpiry(15*time.Second), redsync.WithTries(3))
	if err := m.LockContext(ctx); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if ok, uerr := m.UnlockContext(end); uerr != nil || !ok {
			err = errors.Join(err, errLost, uerr)
		}
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return c.next.Publish(work, tariff)
}

// Config says how many replicas run.
type Config struct{ Replicas int }

// New returns the publisher that the deployment needs: a single replica has nobody to exclude.
func New(cfg Config, tables Tables, rs *redsync.Redsync) Publisher {
	plain := &publisher{tables: tables}
	if cfg.Replicas == 1 {
		return plain
	}
	return &clustered{next: plain, rs: rs}
}

// Timer publishes what is due.
type Timer struct{ Publisher Publisher }

// Run publishes the tariffs that begin today.
func (t *Timer) Run(ctx context.Context, due []int64) error {
	var all error
	for _, tariff := range due {
		all = errors.Join(all, t.Publisher.Publish(ctx, tariff))
	}
	return all
}
