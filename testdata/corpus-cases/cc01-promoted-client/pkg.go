// Package promoted keeps its client embedded in a struct of its own, and defers the release before it looks at what the
// acquire said.
package promoted

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Conn is the client with the names of the deployment.
type Conn struct {
	redis.UniversalClient
	names *Names
}

// Names builds keys.
type Names struct{ base string }

// Names gives the builder.
func (c *Conn) Names() *Names { return c.names }

// Rates is the key of the lock on the rates of a tariff.
func (n *Names) Rates(tariff string) string { return fmt.Sprintf("%s:lock:rates:%s", n.base, tariff) }

// Table is where the rates of a tariff are kept.
func (n *Names) Table(tariff string) string { return fmt.Sprintf("%s:rates:%s", n.base, tariff) }

// Tariffs loads rates.
type Tariffs struct {
	conn *Conn
	load func(ctx context.Context, tariff string) ([]byte, error)
}

// Load lets the loser wait a little, load as well, and free the winner's lock.
func (t *Tariffs) Load(ctx context.Context, tariff string) ([]byte, error) {
	lockKey := t.conn.Names().Rates(tariff)
	won, err := t.conn.SetNX(ctx, lockKey, "1", 5*time.Second).Result() // EXPECT: constant-owner
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	defer t.conn.Del(ctx, lockKey) // EXPECT: ownerless-release, release-not-acquired, release-on-request-ctx
	if !won {
		time.Sleep(5 * time.Millisecond)
		if data, err := t.conn.Get(ctx, t.conn.Names().Table(tariff)).Bytes(); err == nil {
			return data, nil
		}
	}
	return t.load(ctx, tariff)
}
