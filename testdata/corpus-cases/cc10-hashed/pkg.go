// Package hashed locks pages by the hash of their address, and gives the release back as a function.
package hashed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

func pageKey(address string) string {
	sum := sha256.Sum256([]byte(address))
	return "page:" + hex.EncodeToString(sum[:])
}

// Pages lets one worker at a time at a page.
type Pages struct{ rdb *redis.Client }

// Take returns the function that releases, or nil.
func (p *Pages) Take(ctx context.Context, address string) (func(), error) {
	err := p.rdb.SetArgs(ctx, pageKey(address), 1, redis.SetArgs{Mode: "NX", TTL: time.Minute}).Err() // EXPECT: constant-owner
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = p.rdb.Del(end, pageKey(address)).Err() // EXPECT: ownerless-release
	}, nil
}

// Fetch fetches a page that nobody else fetches.
func (p *Pages) Fetch(ctx context.Context, address string, fetch func(context.Context) error) error {
	release, err := p.Take(ctx, address)
	if err != nil || release == nil {
		return err
	}
	defer release()
	return fetch(ctx)
}
