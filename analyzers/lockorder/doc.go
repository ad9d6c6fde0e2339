// Package lockorder finds locks that are taken while another one is held, in a way that can block.
//
// # Analyzer lockorder
//
// A lock in Redis knows nothing of the flow that holds it: whoever asks for the key again is one more stranger, its owner
// included. And two flows that take two locks in opposite orders wait for each other, as with every lock. Both show only
// along call paths: the helper that takes the second lock is rarely in sight of the one that took the first.
//
// # reentrant-deadlock
//
// # What it does
//
// Reports an acquire of a key that the same flow holds already, along the call path that the finding shows. It stands at
// the call that asks for the lock the second time. Keys must be certainly the same, not only of the same class.
//
// # Why is this bad
//
// An acquire that waits then waits for itself: until its patience ends, or until the lease ends and both run without
// the lock. An acquire that does not wait is told that the lock is taken, every time, so that the work under it never
// runs on this path.
//
// # Example
//
//	func (t *Tours) Cancel(ctx context.Context, tour int64) error {
//		return t.WithTour(ctx, tour, func(ctx context.Context) error {
//			return t.Sell(ctx, tour) // which begins with WithTour(ctx, tour, ...)
//		})
//	}
//
// # Use instead
//
// Split the function: Sell takes the lock and calls sell, which expects it to be held; Cancel calls sell.
//
// # Known problems
//
// An acquire that a flag, a setting or a value in the context can leave out is not reported: it may be what a flow skips
// that holds the lock. Acquires in goroutines and deferred calls are not followed.
//
// # Fix safety
//
// There is no fix.
//
// # lock-order
//
// # What it does
//
// Reports two classes of locks that are taken in one order here and in the other order elsewhere in the package, and
// several locks of one class that are taken in the order in which the caller names them: two parameters, or the elements
// of a list that is not sorted before. It stands at the second acquire, or at the acquire in the loop.
//
// # Why is this bad
//
// A transfer from A to B and one from B to A hold one lock each and wait for the other. Nothing detects that in Redis:
// both wait until their patience or a lease ends, and with leases both may then work at once.
//
// # Example
//
//	src, err := obtain(ctx, from)
//	...
//	dst, err := obtain(ctx, to)
//
// # Use instead
//
// Take the smaller one first: first, second := min(from, to), max(from, to). Sort a list of keys and drop duplicates
// before the loop.
//
// # Known problems
//
// Only acquires that wait are reported: one attempt that gives everything back when it fails cannot block anybody. What
// was chosen, computed or looked up may be in order already and is not judged. Opposite orders in two packages are not
// compared.
//
// # Fix safety
//
// There is no fix.
package lockorder

const doc = "lockorder: locks that are taken while another one is held"
