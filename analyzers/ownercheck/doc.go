// Package ownercheck checks who releases and extends a lock: only its current owner may.
//
// # Analyzer ownercheck
//
// A lock that is kept in Redis can end while its holder is still at work: the process pauses, the network is slow, the
// work takes longer than the TTL. Then somebody else acquires the key. "I acquired once" and "I own it now" are
// different facts, and whoever releases or extends has to prove the second one, with a value that only the owner knows
// and that Redis compares in the same step.
//
// The analyzer looks at commands on keys that are known to be locks: a function acquires and releases them, through
// helpers, closures, handles and interfaces; or one function acquires what another one gives back by comparing the
// owner. Keys that are left to expire, overwritten with a result, or taken back only after a failure are marks,
// throttles and caches, and make no finding. Whatever it does not understand makes none either. Tests are not judged:
// they play the other holder and clean up by force.
//
// # ownerless-release
//
// # What it does
//
// Reports a command that removes the key of a lock without a check that the caller still owns it: DEL, UNLINK, GETDEL,
// an EXPIRE of zero or less, DELEX without a condition, a script that deletes. The finding stands at the command, and
// names the acquire. It is also reported where the check compares with an owner value that was looked up by the key in a
// map, if an exported method gets there without having acquired.
//
// # Why is this bad
//
// The holder is slow, its lease ends, a second flow acquires the key, and the first one releases: it deletes the second
// one's lock, and a third flow comes in. Nothing shows while every job ends within the TTL. A helper carries the fault
// into all code that uses it.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, token, 30*time.Second).Result()
//	...
//	defer rdb.Del(ctx, key)
//
// # Use instead
//
//	var release = redis.NewScript(`
//		if redis.call("GET", KEYS[1]) == ARGV[1] then
//			return redis.call("DEL", KEYS[1])
//		end
//		return 0`)
//	...
//	defer release.Run(context.WithoutCancel(ctx), rdb, []string{key}, token)
//
// A longer TTL is not a cure: it only makes the fault rarer, and the recovery after a crash slower.
//
// # Known problems
//
// Releases in another process or another module are not seen. A function value that is kept in a map or a slice is not
// followed. An operator's tool that frees locks by force is right and is reported all the same: say so with
// //leasevet:ignore.
//
// # Fix safety
//
// There is no fix: the owner value has to reach the release, and that changes signatures.
//
// # nonatomic-release
//
// # What it does
//
// Reports a delete that stands behind a comparison of the owner, where the comparison was made by an earlier command:
// GET, compare in Go, DEL. The comparison may be in a helper, in a switch, or behind a WATCH whose transaction the
// delete is no part of. It covers one delete; what comes after that is an ownerless-release.
//
// # Why is this bad
//
// Between GET and DEL the lease can end and somebody else can acquire. The comparison was right, and the delete removes
// the next holder's lock.
//
// # Example
//
//	if now, err := rdb.Get(ctx, key).Result(); err == nil && now == token {
//		rdb.Del(ctx, key)
//	}
//
// # Use instead
//
// Compare and delete in one script, as under ownerless-release; or DELEX key IFEQ token with Redis 8.4; or GET under
// WATCH and DEL inside TxPipelined of the same connection.
//
// # Known problems
//
// A comparison in a function that the analyzer cannot read is not seen; the delete is then an ownerless-release. Only
// comparisons by ==, != and the usual functions (bytes.Equal, subtle.ConstantTimeCompare ...) count.
//
// # Fix safety
//
// There is no fix yet.
//
// # constant-owner
//
// # What it does
//
// Reports an acquire whose owner value is the same for several holders: a constant, the name of the host or the process,
// a value that is made once when the process starts, the clock, or a field that all locks of one object share. Where
// nothing compares the value, all but constants are a note.
//
// # Why is this bad
//
// A check can only tell two holders apart if their values differ. Two requests on one host, two goroutines of one
// process, two flows at one tick of the clock release each other's locks, with a script that looks right.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, hostname, 30*time.Second).Result()
//
// # Use instead
//
//	token := uuid.NewString()
//	ok, err := rdb.SetNX(ctx, key, token, 30*time.Second).Result()
//
// The host may be part of the value, for those who look into Redis: hostname + "/" + uuid.NewString().
//
// # Known problems
//
// A value that comes from a parameter or from configuration is only judged where its origin is in sight. A process that
// certainly has one flow for each key is right with a value of its own, and is reported.
//
// # Fix safety
//
// There is no fix: the value has to be handed to the release.
//
// # ownerless-extend
//
// # What it does
//
// Reports a command that prolongs the lease without comparing the owner in the same step: EXPIRE, PEXPIRE, GETEX, SET
// XX, a script that only asks whether the key is there, or an EXPIRE behind a comparison in Go. An EXPIRE in the
// function that has just acquired is a TTL that comes too late, and is reported as nonatomic-ttl instead.
//
// # Why is this bad
//
// When the lease was lost and somebody else holds the key, the extend keeps their lock alive, reports success, and the
// work goes on without a lock.
//
// # Example
//
//	for range ticker.C {
//		rdb.Expire(ctx, key, 30*time.Second)
//	}
//
// # Use instead
//
//	var extend = redis.NewScript(`
//		if redis.call("GET", KEYS[1]) == ARGV[1] then
//			return redis.call("PEXPIRE", KEYS[1], ARGV[2])
//		end
//		return 0`)
//
// and end the work when the reply is 0.
//
// # Known problems
//
// A key of which only the acquire is in sight is not known to be a lock, and extending it is not reported.
//
// # Fix safety
//
// There is no fix.
//
// # owner-overwritten
//
// # What it does
//
// Reports where the proof of the owner (the owner value, or the lock object of a library) is stored in a place that
// another acquire overwrites while the first one holds the lock: a field, a package-level variable, a variable that
// closures share, a map. The store is at fault if it also runs when the acquire fails, if one place serves several
// keys, or if a plain map is written without a mutex. The finding stands at the store.
//
// # Why is this bad
//
// The second attempt fails, as it should, and has overwritten the holder's value by then. The holder's release compares
// with a value that stands nowhere, and the key stays until its TTL ends; or it gives back a lock that is not its own.
//
// # Example
//
//	func (l *Lock) Acquire(ctx context.Context) (bool, error) {
//		l.owner = uuid.NewString()
//		return l.rdb.SetNX(ctx, l.key, l.owner, l.ttl).Result()
//	}
//
// # Use instead
//
// Return the value, or a handle that is made for each acquisition; or keep an in-process mutex locked from before the
// store until the release.
//
// # Known problems
//
// An object that is for one key is reported only where it is seen to be shared: in a field of what others call, or in a
// package-level variable. That it is then used by one goroutine after the other is not seen, nor is an exclusion of
// goroutines by a channel.
//
// # Fix safety
//
// There is no fix.
//
// # broken-release
//
// # What it does
//
// Reports a release that can never work: a script that does not parse, that reads KEYS or ARGV which are not passed or
// compares with the wrong thing; key and owner value in each other's place; a comparison with a value that was never
// stored; the text of a script where EVALSHA wants its sum; an integer reply that is read as text or as int.
//
// # Why is this bad
//
// The key is never deleted, and every lock stays until its TTL ends. Or the key is deleted and the caller is told that
// it was not. Neither shows in a test that does not look into Redis afterwards.
//
// # Example
//
//	rdb.Eval(ctx, script, []string{token}, key) // changed places
//
// # Use instead
//
//	rdb.Eval(ctx, script, []string{key}, token)
//
// # Known problems
//
// Two values count as different only where both are made in sight: constants, and random values of one function.
//
// # Fix safety
//
// There is no fix.
//
// # release-not-acquired
//
// # What it does
//
// Reports a release that also runs when the acquire said that somebody else holds the lock: a defer above the check of
// the result, a release in the loser's branch, one way out for all cases, a deferred function that cleans up whenever
// the error is set. A release that compares a value of its own is harmless there and is not reported; one that compares
// a constant is.
//
// # Why is this bad
//
// The loser deletes the winner's lock at once. This needs no slow holder: the lock does not exclude anybody.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, token, ttl).Result()
//	defer rdb.Del(ctx, key)
//	if err != nil || !ok {
//		return ErrBusy
//	}
//
// # Use instead
//
//	ok, err := rdb.SetNX(ctx, key, token, ttl).Result()
//	if err != nil || !ok {
//		return ErrBusy
//	}
//	defer release.Run(ctx, rdb, []string{key}, token)
//
// # Known problems
//
// A condition inside a helper is taken for the check, unless it is about the error that the function returns.
//
// # Fix safety
//
// There is no fix: what runs between the two places decides.
package ownercheck

const doc = "ownercheck: only the current owner may release or extend a lock"
