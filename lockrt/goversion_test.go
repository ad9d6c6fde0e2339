//go:build !go1.24

package lockrt_test

// oldRuntime: Go before 1.24 spends more on what lockrt has beyond the floor (timers, random numbers, contexts); measured
// 1.34 times with Go 1.21 where Go 1.26 has 1.26. That is no reason to fail.
const oldRuntime = true
