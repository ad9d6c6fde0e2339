// Package script has the scripts of the theatre's box office.
package script

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

//go:embed release.lua
var counting string

//go:embed plain.lua
var plain string

var (
	// Counting takes the lock and its counter.
	Counting = redis.NewScript(counting) // ALSO-OK: broken-release
	// Plain takes the lock.
	Plain = redis.NewScript(plain)
)
