// Package lockwait finds waits for a lock that load Redis, or that nothing ends.
//
// # Analyzer lockwait
//
// A flow that does not get a lock gives up or waits. A good wait asks less often the longer it lasts, at random moments,
// and ends when its caller's context does, or after some time. What counts as a wait is a loop (or a call of the function
// itself) that somebody else's lock keeps going and that one's own acquire ends, also in a helper that is given the
// attempt as a function. A job that comes back at every tick, a loop over several keys, and a single attempt are none.
//
// # polling-wait
//
// # What it does
//
// Reports a wait whose pause is always the same, or that does not pause at all. If a context or a signal to stop can end
// it, it is a warning; with a limited number of tries or a deadline it is a note.
//
// # Why is this bad
//
// All waiters ask in step. The longer the holder works, the more waiters there are, and the more they ask, until Redis is
// busy with saying no, to the holder too, who wants to renew its lease.
//
// # Example
//
//	for {
//		ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//		if err != nil || ok {
//			return ok, err
//		}
//		time.Sleep(50 * time.Millisecond)
//	}
//
// # Use instead
//
//	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
//		ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//		if err != nil || ok {
//			return ok, err
//		}
//		select {
//		case <-ctx.Done():
//			return false, ctx.Err()
//		case <-time.After(pause + rand.N(pause)):
//		}
//	}
//
// Better still, let the release wake the waiters.
//
// # Known problems
//
// A pause that comes from a function that is not understood counts as growing. The pauses of lock libraries are the
// library's affair.
//
// # Fix safety
//
// There is no fix: how long a wait may last is not known here.
//
// # unbounded-wait
//
// # What it does
//
// Reports a wait that has neither a limit nor a context that can end it: no number of tries, no deadline, no signal, and
// a command that runs on context.Background or on none. It also reports a library's acquire that waits for as long as its
// context lives, if that is one that nothing ends.
//
// # Why is this bad
//
// If the holder hangs, or renews for ever, the waiter hangs with it, and a shutdown does not stop it. Where requests
// wait, they pile up until nothing answers any more; the message says so then.
//
// # Example
//
//	for !tryLock(key) {
//		time.Sleep(time.Second)
//	}
//
// # Use instead
//
// Hand a context down to the attempt and to the pause, and give it a deadline.
//
// # Known problems
//
// Whether the context that a function is given ever ends is not followed to its callers. A loop that ends by something
// that is not understood counts as limited.
//
// # Fix safety
//
// There is no fix: how long a wait may last is not known here.
package lockwait

const doc = "lockwait: waits for a lock that load Redis, or that nothing ends"
