//go:build unix

package analyzers_test

import (
	"syscall"
	"time"
)

// spent is the processor time that the process has used: what it takes does not depend on what else the machine does.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
