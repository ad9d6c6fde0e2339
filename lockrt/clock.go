package lockrt

import "time"

// instant is a moment on both of the machine's clocks. The monotonic one cannot be set, but stands still while a virtual
// machine or a laptop is suspended; the wall clock goes on, but can be set.
type instant struct {
	wall time.Duration // since 1970
	mono time.Duration // since this process started
}

// started carries a monotonic reading for every instant to refer to.
var started = time.Now()

func readClocks() instant {
	now := time.Now()
	return instant{wall: time.Duration(now.UnixNano()), mono: now.Sub(started)}
}

// until returns how much time went by between two instants: what the clock that ran more says. So a suspended
// machine does not keep a lease alive, a clock that is set back changes nothing, and one that is set forward ends the lease
// early, which is the safe side.
func (i instant) until(later instant) time.Duration {
	return max2(later.mono-i.mono, later.wall-i.wall)
}

func max2(a, b time.Duration) time.Duration {
	if a > b {
		return a
	}
	return b
}

func min2(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}
