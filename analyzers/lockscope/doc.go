// Package lockscope finds faults between the acquire and the release of a lock.
//
// # Analyzer lockscope
//
// A critical section begins where the acquire succeeds and ends where the lock is released. The faults here are those of
// the flow in between: a path that never releases, a release that cannot work, work that goes on after the release. The
// paths are followed one by one with what the acquire's results look like when the lock is held, through helpers,
// handles, returned release functions and deferred closures. Where the lock may be somebody else's by then, because its
// handle or owner value was returned, stored, sent or handed over, nothing is reported.
//
// # leak-on-path
//
// # What it does
//
// Reports a return, panic, continue or runtime.Goexit that leaves the section on a path on which nothing releases the
// lock, where other paths of the same function do. Where no statement leaves but a branch just ends, it reports the
// acquire.
//
// # Why is this bad
//
// The lock stays until its TTL ends. Until then every other replica, and the next attempt of this one, is told that
// somebody else works. It is usually the error path, so that a failure which a retry would cure blocks for minutes.
//
// # Example
//
//	if err := mutex.LockContext(ctx); err != nil {
//		return err
//	}
//	qty, err := stock(ctx, sku)
//	if err != nil {
//		return err // the mutex stays
//	}
//	defer mutex.UnlockContext(detached)
//
// # Use instead
//
// Release in a defer that stands right behind the check of the acquire. In a loop, put the body into a function, so that
// the defer runs once per round.
//
// # Known problems
//
// A key that nobody releases is an election or a mark, and one that is only deleted after a failure is a mark: neither
// is judged. A panic inside a called function, os.Exit and log.Fatal are not reported. A key that is deleted without a
// look at its owner is only reported where the leaving statement certainly is a failure. Where extending fails the lock
// is lost, and there is nothing to release.
//
// # Fix safety
//
// There is no fix: a defer also runs on the paths that release already.
//
// # release-on-request-ctx
//
// # What it does
//
// Reports a release whose Redis command runs on a context that may have ended by then: the context of a request, one that
// the caller handed in for the whole section, one with a timeout or a cancel that spans the work. It stands where the
// context is chosen: at the command, or at the call that hands it to a release which takes it as a parameter.
//
// # Why is this bad
//
// The client hangs up, the context ends, the work stops early, and the release fails with "context canceled" before it
// has reached Redis. The key then stays for the whole lease. It happens exactly when the client tries again.
//
// # Example
//
//	lock, err := locker.Obtain(r.Context(), key, 2*time.Minute, nil)
//	...
//	defer lock.Release(r.Context())
//
// # Use instead
//
//	defer func() {
//		ctx, stop := context.WithTimeout(context.WithoutCancel(r.Context()), 2*time.Second)
//		defer stop()
//		lock.Release(ctx)
//	}()
//
// Not a plain context.Background(): without a timeout of its own the release waits for a Redis that does not answer.
//
// # Known problems
//
// A context that only ends when the process shuts down is a note: the caller's loop waits for it, or it comes from
// signal.NotifyContext. A *gin.Context that is handed on as a context never ends and is not reported; one of an engine
// with ContextWithFallback is missed. Where a library that is not read makes the context, nothing is reported, and
// neither where all callers in sight hand in one that nothing ends.
//
// # Fix safety
//
// There is no fix: how long a release may take is for the program to say.
package lockscope

const doc = "lockscope: what happens between the acquire and the release of a lock"
