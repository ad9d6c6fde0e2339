// Command main rebuilds the indexes of a library.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/go-redis/redis/v8"

	"example.test/foundinga/lt21-long-wired/mutex"
)

func indexKey(name string) string { return fmt.Sprintf("index:%s", name) }

func main() {
	addr := flag.String("redis", "localhost:6379", "address of Redis")
	lease := flag.Duration("lease", 20*time.Minute, "how long an index stays locked after a crash") // ALSO-OK: long-ttl
	flag.Parse()
	rdb := redis.NewClient(&redis.Options{Addr: *addr})

	nightly := mutex.New(rdb, mutex.Options{Prefix: "nightly", TTL: *lease}) // EXPECT: long-ttl
	hourly := mutex.New(rdb, mutex.Options{Prefix: "hourly", TTL: time.Minute / 2})

	weekly := mutex.New(rdb, mutex.Options{Prefix: "weekly", TTL: 6 * time.Hour}) // EXPECT: long-ttl

	for _, m := range []mutex.Mutex{nightly, hourly, weekly} {
		if err := m.Do(context.Background(), indexKey(flag.Arg(0)), rebuild); err != nil {
			log.Print(err)
		}
	}
}

func rebuild(ctx context.Context) error { return ctx.Err() }
