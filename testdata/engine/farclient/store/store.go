// EXPECT-NONE

// Package store has the connection that all others use.
package store

import "github.com/redis/go-redis/v9"

// DB is set by Open.
var DB *redis.Client

// Pool is a client with a name.
type Pool struct {
	redis.UniversalClient
	Name string
}

// Deps is what handlers are given.
type Deps struct{ Cache redis.UniversalClient }

// Open connects.
func Open(addr string) { DB = redis.NewClient(&redis.Options{Addr: addr}) }

// Conn is DB for those who do not like variables.
func Conn() redis.Cmdable { return DB }

// Named is a pool.
func Named(name string) *Pool { return &Pool{UniversalClient: DB, Name: name} }
