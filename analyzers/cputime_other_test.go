//go:build !unix

package analyzers_test

import "time"

var began = time.Now()

func spent() time.Duration { return time.Since(began) }
