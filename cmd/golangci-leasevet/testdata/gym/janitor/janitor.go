// Package janitor knows of the lockers through package hall only, and so does the analysis.
package janitor

import (
	"context"

	"github.com/redis/go-redis/v9"

	"example.test/gym/hall"
)

// Free airs a locker, and takes its lock away from whoever holds it.
func Free(ctx context.Context, rdb *redis.Client, addr, id string) error {
	if err := hall.Air(addr, id); err != nil {
		return err
	}
	return rdb.Del(ctx, "gym:locker:"+id).Err() // EXPECT: ownerless-release
}
