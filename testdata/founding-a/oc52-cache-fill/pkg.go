// EXPECT-NONE

// Package cachefill keeps the weather of places.
package cachefill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Weather is what the service knows of a place.
type Weather struct {
	Version int64   `json:"version"`
	Celsius float64 `json:"celsius"`
}

type Source interface {
	Ask(ctx context.Context, place int64) (Weather, error)
}

type Cache struct {
	rdb *redis.Client
	src Source
}

func weatherKey(place int64) string { return fmt.Sprintf("weather:%d", place) }

func versionKey(place int64) string { return fmt.Sprintf("weather:version:%d", place) }

// Get reads through the cache. The first to fill wins, the others read what it has filled in.
func (c *Cache) Get(ctx context.Context, place int64) (Weather, error) {
	w, err := c.read(ctx, place)
	if !errors.Is(err, redis.Nil) {
		return w, err
	}
	w, err = c.src.Ask(ctx, place)
	if err != nil {
		return w, err
	}
	text, err := json.Marshal(w)
	if err != nil {
		return w, err
	}
	filled, err := c.rdb.SetNX(ctx, weatherKey(place), text, 30*time.Minute).Result()
	if err != nil || filled {
		return w, err
	}
	return c.read(ctx, place)
}

func (c *Cache) read(ctx context.Context, place int64) (w Weather, err error) {
	text, err := c.rdb.GetEx(ctx, weatherKey(place), 30*time.Minute).Bytes()
	if err != nil {
		return w, err
	}
	return w, json.Unmarshal(text, &w)
}

// Invalidate drops what is older than the version.
func (c *Cache) Invalidate(ctx context.Context, place, version int64) error {
	w, err := c.read(ctx, place)
	if errors.Is(err, redis.Nil) || err == nil && w.Version >= version {
		return nil
	}
	if err != nil {
		return err
	}
	return c.rdb.Del(ctx, weatherKey(place)).Err()
}

// Init begins to count the versions of a place; the number stays for ever.
func (c *Cache) Init(ctx context.Context, place int64) (int64, error) {
	if err := c.rdb.SetNX(ctx, versionKey(place), 0, 0).Err(); err != nil {
		return 0, err
	}
	return c.rdb.Incr(ctx, versionKey(place)).Result()
}

// Remove forgets a place altogether.
func (c *Cache) Remove(ctx context.Context, place int64) error {
	return c.rdb.Del(ctx, weatherKey(place), versionKey(place)).Err()
}
