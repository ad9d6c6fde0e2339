// Command metersd takes meter readings from standard input.
package main

import (
	"context"
	"fmt"
	"os"

	"example.test/foundingb/sc12-meter-readings"
	"example.test/foundingb/sc12-meter-readings/lockkit"
	"github.com/go-redis/redis/v8"
)

type memory map[int64]int64

func (m memory) Last(_ context.Context, meter int64) (int64, error) { return m[meter], nil }

func (m memory) Append(_ context.Context, meter, kWh int64) error {
	m[meter] = kWh
	return nil
}

func locks() lockkit.Locker {
	if addr := os.Getenv("REDIS_ADDR"); addr != "" {
		return lockkit.Shared{Client: redis.NewClient(&redis.Options{Addr: addr})}
	}
	return &lockkit.Local{}
}

func main() {
	s := &meterreadings.Service{Locks: locks(), History: memory{}}
	var r meterreadings.Reading
	for {
		if _, err := fmt.Scan(&r.Meter, &r.KWh); err != nil {
			return
		}
		if err := s.Record(context.Background(), r); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
