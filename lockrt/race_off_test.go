//go:build !race

package lockrt_test

const raceEnabled = false
