//go:build race

package lockrt_test

const raceEnabled = true
