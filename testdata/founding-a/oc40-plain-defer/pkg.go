// Package plaindefer lights the lamps of a town.
package plaindefer

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// client is set by Connect.
var client *redis.ClusterClient

// Connect is called once, before anything else.
func Connect(addrs ...string) {
	client = redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs})
}

func lampKey(lamp int64) string { return fmt.Sprintf("town:lamp:%d", lamp) }

func streetKey(street int64) string { return fmt.Sprintf("town:street:%d", street) }

// Light lights the lamp unless somebody else is about to.
func Light(ctx context.Context, lamp int64, light func(context.Context) error) error {
	got := client.SetNX(ctx, lampKey(lamp), uuid.NewString(), 20*time.Second)
	defer client.Del(context.WithoutCancel(ctx), lampKey(lamp)) // EXPECT: release-not-acquired, ownerless-release
	if err := got.Err(); err != nil {
		return err
	}
	if !got.Val() {
		slog.Debug("somebody else lights it", "lamp", lamp)
		return nil
	}
	return light(ctx)
}

// LightStreets lights street after street and skips those that are taken.
func LightStreets(ctx context.Context, streets []int64, light func(context.Context, int64) error) error {
	for _, street := range streets {
		ok, err := client.SetNX(ctx, streetKey(street), uuid.NewString(), 20*time.Second).Result()
		if err != nil {
			return fmt.Errorf("street %d: %w", street, err)
		}
		if ok {
			err = light(ctx, street)
		}
		dark(ctx, street) // EXPECT: release-not-acquired
		if err != nil {
			return err
		}
	}
	return nil
}

func dark(ctx context.Context, street int64) {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	client.Unlink(end, streetKey(street)) // EXPECT: ownerless-release
}
