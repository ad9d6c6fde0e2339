// EXPECT-NONE

// Package env reads settings from the environment.
package env

import (
	"os"
	"time"
)

// Duration is a setting, or what holds without it.
func Duration(name string, otherwise time.Duration) time.Duration {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return otherwise
	}
	return d
}
