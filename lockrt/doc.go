// Package lockrt is a lock on Redis that holds when time goes out of order: when its owner is stopped, a request is
// cancelled, a reply gets lost, or Redis goes away and comes back.
//
//	var orderLock = lockrt.MustPrefix("lock:order")
//
//	locker, err := lockrt.New(rdb)
//
//	out, err := locker.Do(ctx, orderLock.Of(orderID), func(ctx context.Context) error {
//		return settle(ctx, orderID) // ctx ends when the lease is lost
//	}, lockrt.Wait(2*time.Second))
//
// # Owner, lease, wait
//
// They are three things, and change by different rules. The owner value is new and random for each acquisition, and is
// compared in the same step as every release and renewal. The lease (30 s) is renewed while the function runs, however
// long that is; it is not how long the work may take, but how long others wait after the owner was killed. How long a
// call waits for somebody else is the caller's choice, and has nothing to do with the lease. Waiting costs Redis next to
// nothing: waiters are woken one at a time, in each process first come first served, processes by turns.
//
// # What comes back
//
// Nobody must mistake one of these for another, so each is an error of its own: somebody holds the lock (ErrNotAcquired),
// Redis could not be asked (ErrUnavailable), Redis will never do it (ErrMisconfigured), the lease was lost while the
// function ran (ErrLeaseLost). An error of the function comes back as it is. What to do about the first two is the
// caller's decision, per call: OnContention(Skip) for jobs of which one run is enough, OnOutage(Proceed) for work that
// must not stand still because Redis does. Neither is the default.
//
// # What it promises
//
// At most one owner of a lock can see a live context at any moment, as long as clocks run at the same speed within 1 %, and
// Redis does not lose what it has acknowledged. The context ends before the lease can. That is as much as a lock can
// promise. It cannot exclude anybody from
//
//   - a write that an owner was about to make when it was stopped. It looks at its context, is stopped for a minute, and
//     writes. Only the store can refuse that, by the lease's Fence: package fence does it for SQL, Redis and memory, and
//     examples/guard shows it.
//   - a lock that Redis forgot: a failover to a replica that had not heard of it, a restart without persistence, an
//     eviction, FLUSHALL, a DEL by hand, a jump of the server's clock. Fences go on rising through most of this, since
//     they are made of the server's clock and a counter; after a failover they do if the servers' clocks agree.
//     WithReplicaAck makes the first case rarer.
//
// # What it does not do
//
//   - Redlock, a quorum over several servers. It needs the same assumptions about time, costs five times as much, and has no
//     fence; Redisson has given it up for that.
//   - Re-entrancy. A nested call for a lock that its context already holds returns ErrReentrant at once. Whoever counts
//     entries has to get every exit right, and what is meant is mostly that the inner function should not take the lock.
//   - Read-write locks and semaphores. Both need a count or a list of owners in one key, each with a lease of its own;
//     that is another protocol, and older locks on the same key would not understand it.
//   - Strict fairness. The order of waiting is kept as well as it can be without making anybody wait for a process that is
//     stopped; an older lock does not know of the queue at all.
//   - Leader election. It is Do with WaitForContext in a loop; how to step down is the application's business.
//   - Cron semantics, such as once an hour over all replicas. A lock says who works now, not who has worked already. Record
//     that in the store.
//   - Freeing somebody else's lock. DEL by hand does it; its owner is told at its next renewal.
//
// # Coming from another lock
//
// Legacy makes a key with the exact name that an older program uses. As long as that program takes the lock by setting the
// key if it is absent, both exclude each other during a rollout. What the older side lacks stays so: it wakes nobody, so
// waiters look for it between ten times and once a second; and if it deletes without comparing, it deletes lockrt's lock
// too, whose owner is then told (ErrLeaseLost). A key that never expires is waited for, and said to be one.
//
// Many helpers have one argument for the wait: 0 tries once, a positive time waits so long, a negative one for good. That
// is Wait(0), or no option; Wait(d); and WaitForContext(). Wait(d) with d < 0 tries once: waiting for good is too much to
// come of a subtraction.
//
// # Running it
//
// A process needs one Locker. Check tells what should be mended on the server; with WithStrictServer nothing works until
// it is. Rights: a user that may only use some keys needs the pattern twice, ~lock:* for the locks and ~{lock:* for what
// is kept beside them, and the channels lockrt:wake:*. Without channels waiters poll; without EVALSHA nothing works.
// An Observer gets everything that metrics are made of.
package lockrt
