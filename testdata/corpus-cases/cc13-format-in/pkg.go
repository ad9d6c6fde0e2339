// Package formatin builds its keys in a function that is given the format.
package formatin

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var deployment = "blue:"

// key puts the deployment before what the format makes.
func key(format string, args ...any) string { return deployment + fmt.Sprintf(format, args...) }

const sluice = "sluice:%s:turn"

// Sluices opens sluices.
type Sluices struct{ rdb *redis.Client }

// Open turns one sluice.
func (s *Sluices) Open(ctx context.Context, name string, turn func(context.Context) error) error {
	ok, err := s.rdb.SetNX(ctx, key(sluice, name), "turning", 30*time.Second).Result() // EXPECT: constant-owner
	if err != nil || !ok {
		return err
	}
	defer func() { _ = s.rdb.Del(context.WithoutCancel(ctx), key(sluice, name)).Err() }() // EXPECT: ownerless-release
	return turn(ctx)
}
