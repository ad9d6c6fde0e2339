package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// smallHeap is how much memory a run may take before the collector starts, in bytes. Below that, collecting costs more
// than it gives back: a run is short, and most of what it allocates lives until its package is done. Measured on a
// module of 369 packages: the collector's default took a fifth of all CPU seconds, in forty cycles.
const smallHeap = 192 << 20

// lazyCollector keeps the collector still until the heap has grown to smallHeap, and gives it back its default once that
// much is in use for good. Who has set GOGC or GOMEMLIMIT knows better.
func lazyCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(smallHeap)
	afterEachCycle(func() bool {
		if liveHeap() < smallHeap/2 {
			return true
		}
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
		return false
	})
}

// afterEachCycle calls f after every cycle of the collector until it returns false.
func afterEachCycle(f func() bool) {
	type mark struct{ _ *byte }
	var again func(*mark)
	again = func(m *mark) {
		if f() {
			runtime.SetFinalizer(m, again)
		}
	}
	runtime.SetFinalizer(&mark{}, again)
}

// liveHeap is how much the last cycle has left, in bytes.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
