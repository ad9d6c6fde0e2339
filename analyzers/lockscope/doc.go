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
// acquire. Also reports the failing return of a helper that takes the lock for its callers, where the handle or owner
// value is lost with it.
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
//
// # release-before-commit
//
// # What it does
//
// Reports a release that runs before the transaction which the section used is committed: the commit stands behind the
// release, or was deferred before it; or the section is inside a function that was given an open transaction, so that
// whoever began it commits later.
//
// # Why is this bad
//
// Between release and commit the next holder reads the rows as they were. Two orders see the same stock, both subtract,
// and the second commit wins. The lock protects everything except the moment at which the change becomes visible.
//
// # Example
//
//	err := db.Transaction(func(tx *gorm.DB) error {
//		mutex.Lock()
//		defer mutex.Unlock() // runs when the function returns; Transaction commits after that
//		return tx.Model(&stock).Update("qty", stock.Qty-n).Error
//	})
//
// # Use instead
//
// Take the lock first, and run the whole transaction under it.
//
// # Known problems
//
// A transaction is known by its type: it has Commit and Rollback. A *gorm.DB or *xorm.Session may be in one or not, and
// counts inside their Transaction functions and where the function itself begins and commits. A transaction that is
// hidden in a context is not seen.
//
// # Fix safety
//
// There is no fix.
//
// # goroutine-outlives-lock
//
// # What it does
//
// Reports a goroutine, or a job handed to a pool, that is started in the section, writes to a database or is all that the
// section does, and that nothing waits for before the release.
//
// # Why is this bad
//
// The release runs when the function returns, the goroutine when it gets to it. Most of the work then runs without the
// lock, beside the next holder.
//
// # Example
//
//	defer lock.Release(detached)
//	for _, picture := range pictures {
//		go shrink(picture)
//	}
//	return nil
//
// # Use instead
//
// Wait for the goroutines before the function returns, or move acquire and release into the one goroutine that works.
//
// # Known problems
//
// A goroutine that releases or extends the lock itself has it, and is not reported. A goroutine beside other changes in
// the section is taken for a notice or a log unless it writes to a database in sight. Pools behind an interface are not
// known to be pools.
//
// # Fix safety
//
// There is no fix.
//
// # lost-lease-ignored
//
// # What it does
//
// Reports an extend whose failure changes nothing: the result is dropped, the error is logged and the loop goes on, the
// renewing goroutine ends without telling anybody, or an error is swallowed on the way to the caller.
//
// # Why is this bad
//
// The extend is the only place where an owner learns that it is none any more. If that changes nothing, two owners work.
//
// # Example
//
//	if err := lock.Refresh(ctx, lease, nil); err != nil {
//		slog.Warn("refresh failed", "err", err)
//	}
//
// # Use instead
//
//	if err := lock.Refresh(ctx, lease, nil); err != nil {
//		cancel(fmt.Errorf("lock lost: %w", err)) // of the context that the work runs on
//		return
//	}
//
// # Known problems
//
// Cancelling, closing or sending on a channel, storing a flag, calling back, and ending in an error count as doing
// something; whether the work then looks at it is not checked.
//
// # Fix safety
//
// There is no fix.
//
// # renewal-leak
//
// # What it does
//
// Reports a goroutine that extends the lease in a loop which the release does not end: there is no way out, or the only
// one is the end of a context that lives on, or a channel that nobody closes.
//
// # Why is this bad
//
// The goroutine outlives the lock. If its extend does not compare the owner it keeps the key alive for ever, so that
// nobody gets it; if it does, it is one more goroutine and one more command per period for every lock that ever was.
//
// # Example
//
//	go func() {
//		for range time.Tick(lease / 3) {
//			rdb.Expire(ctx, key, lease)
//		}
//	}()
//
// # Use instead
//
// Derive a context for the renewal, cancel it before the release, and wait until the goroutine has ended.
//
// # Known problems
//
// A loop that ends when extending fails ends soon after the release by itself and is not reported.
//
// # Fix safety
//
// There is no fix.
package lockscope

const doc = "lockscope: what happens between the acquire and the release of a lock"
