// EXPECT-NONE

// Package die is how the program gives up.
package die

import (
	"log/slog"
	"os"
)

// Now says why and ends the process.
func Now(why string, err error) {
	slog.Error(why, "err", err)
	os.Exit(1)
}

// If ends the process on an error.
func If(err error) {
	if err != nil {
		Now("giving up", err)
	}
}
