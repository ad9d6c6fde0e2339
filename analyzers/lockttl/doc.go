// Package lockttl finds locks that stay too long, not long enough, or for ever when nobody releases them.
//
// # Analyzer lockttl
//
// The TTL of a lock has two readers. A process that crashes leaves its key behind: the TTL is how long everybody else
// waits then. A process that is slow still works when the TTL ends: from then on somebody else works too. A good lease
// is short, is given in the same command that takes the key, and is renewed for as long as the owner works.
//
// Only locks are judged: a key that is also released by the flow that took it, or whose owner is compared somewhere. A
// throttle, a mark, a cache entry or an election may live as long as it likes. Only what is fixed is judged: a constant,
// the default of a flag, a field that is only ever set to one value, what arithmetic makes of those. A TTL that is
// computed from something else, or of which several values are possible, is not. A finding stands where the value is
// written: at the command, at the call of a helper that is handed it, or at the call of the constructor that keeps it in
// a field.
//
// # no-ttl
//
// # What it does
//
// Reports an acquire that stores the key without a TTL: a TTL of zero, SET NX without EX or PX, the bare SETNX command,
// a script that sets no expiry, a lock object whose TTL option is never given.
//
// # Why is this bad
//
// A deployment, an out-of-memory kill or a lost machine between acquire and release leaves the key in Redis for ever.
// The work that it protects then never runs again, on any machine, until a person finds the key and deletes it. A
// release in a defer does not help: the process that would run it is gone.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, owner, 0).Result()
//
// # Use instead
//
//	ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//
// and renew the lease while the work runs, if it may run longer.
//
// # Known problems
//
// A field that is left at zero on purpose, because the method that acquires puts a default in its place, is understood
// where that happens in the constructor or beside the acquire, and not through a further function. MSETNX, which takes no
// TTL at all, is not read.
//
// # Fix safety
//
// There is no fix: how long the work may take is not known here.
//
// # nonatomic-ttl
//
// # What it does
//
// Reports an acquire without a TTL whose key gets one in a second command of the same flow: SETNX then EXPIRE, also in a
// pipeline, and also where the two stand in two functions of a wrapper.
//
// # Why is this bad
//
// Between the two commands the process can die and the connection can break. The key then stays for ever, as if it had
// no TTL (see no-ttl). A pipeline sends both together, but Redis does not execute them as one, and the second can fail
// alone. It happens rarely, and that is the problem: nobody thinks of it when it does.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, owner, 0).Result()
//	if err != nil || !ok {
//		return err
//	}
//	rdb.Expire(ctx, key, 30*time.Second)
//
// # Use instead
//
//	ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//
// A script that sets key and TTL is one step, too.
//
// # Known problems
//
// The two commands have to name the key in a way that shows that it is the same.
//
// # Fix safety
//
// There is no fix. Moving the TTL into the first command is right nearly always, but code that relies on the second
// command to prolong the lease after a further check would change its meaning.
//
// # long-ttl
//
// # What it does
//
// Reports a fixed TTL of five minutes or more that nothing renews, as a warning; from one minute on, as a note, where a
// timeout in the code shows that the work needs a quarter of that or less. A TTL of up to four times a visible bound of
// the work is a lease that was chosen for it and is not reported. One named constant makes one finding, at the first
// call, by path, that hands it over; where else it is handed over stands beside the finding.
//
// # Why is this bad
//
// A lock without renewal has to outlive the longest work, so its TTL is chosen long. But the TTL is also the recovery
// time: when the process dies in the middle, and every deployment makes some do so, the work stands still for that long
// although nothing is being done. Nobody is alerted, for a lock that is held looks like work.
//
// # Example
//
//	const settleTTL = time.Hour
//
//	ok, err := rdb.SetNX(ctx, key, owner, settleTTL).Result()
//
// # Use instead
//
// Take a lease of some 30 seconds and prolong it, comparing the owner, for as long as the work runs; stop the work when
// that fails. Then a crash costs seconds, and the work may take hours.
//
// # Known problems
//
// Shortening the TTL alone is the wrong cure: it makes a long-ttl a short-ttl. A constant that two packages use makes a
// finding in each. The TTL of an object that is made in one package and locked with in another, neither of which imports
// the other, is not seen. A TTL that is read from a flag or from the environment is judged by its default; one that is
// read from a file is not judged.
//
// # Fix safety
//
// There is no fix: renewing needs a goroutine and a decision on what to do when it fails.
//
// # ttl-unit
//
// # What it does
//
// Reports a TTL in another unit than the command takes: a bare number where a time.Duration is wanted, which makes
// nanoseconds of it; a duration that is multiplied by a unit once more; milliseconds handed to EX, seconds to PX, a
// time.Duration handed to either; a round number of thousands, such as 30000, that is handed to a helper which multiplies
// it by a second. What a number counts follows from its value, its type and the functions that it comes from, never from
// what a parameter or field is called.
//
// # Why is this bad
//
// Thirty nanoseconds are over before the reply arrives: the code looks locked and never was. Thirty thousand seconds
// keep a crashed owner's key for eight hours. Both pass every test that does not wait.
//
// # Example
//
//	rdb.SetNX(ctx, key, owner, time.Duration(cfg.LockSeconds))
//	rdb.Do(ctx, "SET", key, owner, "NX", "PX", int(ttl.Seconds()))
//
// # Use instead
//
//	rdb.SetNX(ctx, key, owner, time.Duration(cfg.LockSeconds)*time.Second)
//	rdb.Do(ctx, "SET", key, owner, "NX", "PX", ttl.Milliseconds())
//
// # Known problems
//
// A PX of 60 and less is taken for seconds; a lock that is meant to last for some milliseconds needs a directive. An int
// (or any integer that may have 32 bits) that is converted to a time.Duration as it is counts as a bare number of something
// else than nanoseconds; an int64 may be nanoseconds, and is judged where its value is known. A setting of type
// time.Duration that holds a bare number until it is multiplied by time.Second is understood.
//
// # Fix safety
//
// There is no fix: the number and the unit cannot both be right, and which of them is wrong is not known.
//
// # short-ttl
//
// # What it does
//
// Reports a lease that a visible bound of the work exceeds, where nothing renews it: a timeout of the context that calls
// between acquire and release are given, the timeout of an HTTP client that they use, a sleep, a timer that they wait
// for. Also where the work is a function that a helper runs under its lock, and where the lease is a library's default
// (8 seconds in redsync).
//
// # Why is this bad
//
// The bound says that the work is expected to take that long sometimes. When it does, Redis drops the key in the middle,
// the next one starts, and both change the same thing. It happens under load, when everything is slow, and leaves
// nothing in the logs.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result()
//	...
//	work, cancel := context.WithTimeout(ctx, 2*time.Minute)
//	defer cancel()
//	err = settle(work)
//
// # Use instead
//
// Renew the lease while the work runs, and cancel the work's context when that fails. Or bound the work below the lease,
// if that is enough for it.
//
// # Known problems
//
// Work without a visible bound is not judged, and bounds are not added up: two calls of 20 seconds each pass under a
// lease of 30. A context's bound is followed within a function, its literals, and into the functions of the package that
// it is handed to. A deadline (context.WithDeadline) is not read. A longer TTL is the wrong cure where the bound is
// minutes: see long-ttl.
//
// # Fix safety
//
// There is no fix, for the same reason as with long-ttl.
package lockttl

const doc = "lockttl: locks that stay too long, not long enough, or for ever when nobody releases them"
