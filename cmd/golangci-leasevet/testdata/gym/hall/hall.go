// EXPECT-NONE

// Package hall uses package locker and shows nothing of it: its export data names neither that package nor Redis.
package hall

import (
	"context"
	"log"

	"example.test/gym/locker"
)

// Air opens a locker for a while.
func Air(addr, id string) error {
	return locker.Open(context.Background(), addr, id, func() error {
		log.Print("airing")
		return nil
	})
}
