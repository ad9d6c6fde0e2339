// EXPECT-NONE

// Package wiring brings the settlement and its locks together.
package wiring

import (
	"github.com/redis/go-redis/v9"

	"example.test/engine/farlock/consumer"
	"example.test/engine/farlock/redislocks"
)

// New wires a settler.
func New(rdb *redis.Client, bills consumer.Bills) *consumer.Settler {
	return &consumer.Settler{Locks: redislocks.New(rdb), Bills: bills}
}
