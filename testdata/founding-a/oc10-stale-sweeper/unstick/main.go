// EXPECT-NONE

// Command unstick frees imports whose worker was switched off by hand.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc10-stale-sweeper/job"
)

func main() {
	id := flag.Int64("import", 0, "number of the import")
	flag.Parse()
	rdb := redis.NewClient(&redis.Options{Addr: os.Getenv("IMPORT_REDIS")})
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	//leasevet:ignore ownerless-release the operator has switched the worker off
	if err := rdb.Del(ctx, job.Key(*id)).Err(); err != nil {
		log.Print(err)
	}
}
