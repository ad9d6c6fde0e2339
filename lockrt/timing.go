package lockrt

import (
	"math/rand"
	"time"
)

// timing is every duration that follows from the lease.
//
//	0                1/3                                  0.94        0.99   1
//	|- - - renewed - -|- - - - - renewals are retried - - - |  margin  |drift|
//	sent                                          context ends    not valid  key expires
//
// All of it counts from the moment before the last successful command was sent: the key cannot have been set earlier, so
// it cannot expire earlier than one lease after that. A slow reply makes the validity shorter, never longer.
type timing struct {
	lease time.Duration
	// live is how long the context under the lock lives. It ends one margin (a twentieth of the lease) before the lease
	// can end by a clock that runs 1 % faster than ours, for the function to notice.
	live time.Duration
	// attempt bounds one command. What takes longer is slow, but not lost, until the lease says so.
	attempt time.Duration
	// patience is how long a waiting call endures an outage.
	patience time.Duration
}

func newTiming(lease time.Duration) timing {
	drift := lease/100 + 2*time.Millisecond
	return timing{
		lease:    lease,
		live:     lease - drift - lease/20,
		attempt:  min2(max2(min2(lease/6, 2*time.Second), time.Second), lease/2),
		patience: lease / 3,
	}
}

// renewIn returns when a lease is renewed next: after a third of it or up to a tenth earlier, so that leases that were
// acquired together are not renewed together for ever. Three tries fit into a lease even if Redis is away for six tenths.
func (t timing) renewIn() time.Duration { return t.lease/3 - jitter(t.lease/30) }

// renewSlack is how much too early a renewal may be sent in order to share a pipeline with others.
func (t timing) renewSlack() time.Duration { return t.lease / 60 }

// retryIn returns the pause before the n-th retry in an outage: 250 ms, doubled up to 1 s, but within a short lease still
// a few times.
func (t timing) retryIn(n int) time.Duration {
	d := min2(250*time.Millisecond<<uint(min2(time.Duration(n), 2)), time.Second)
	return min2(d, t.lease/10)
}

const (
	// recheckMin and recheckMax bound when a waiter looks again although nobody woke it: messages can get lost, holders
	// can die. All waiters of a key in one process share this.
	recheckMin = time.Second
	recheckMax = 1500 * time.Millisecond
	// pollMin and pollMax bound how often a waiter looks that nobody will wake: behind an older lock, or without pub/sub.
	pollMin = 100 * time.Millisecond
	pollMax = time.Second
)

func recheckIn() time.Duration { return recheckMin + jitter(recheckMax-recheckMin) }

// pollIn returns the pause after the n-th look: 100 ms, doubled up to 1 s, less up to a fifth.
func pollIn(n int) time.Duration {
	d := min2(pollMin<<uint(min2(time.Duration(n), 4)), pollMax)
	return d - jitter(d/5)
}

// afterTTL returns when to look for a key that expires in ttl: a little later, and not everybody at once.
func afterTTL(ttl time.Duration) time.Duration {
	return ttl + time.Millisecond + jitter(5*time.Millisecond)
}

// jitter returns a random duration below d.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(rand.Int63n(int64(d)))
}
