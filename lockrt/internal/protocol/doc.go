// Package protocol is everything that lockrt says to Redis about a lock: four scripts, the keys that they touch, and what
// their replies mean. Nothing else in lockrt writes a key.
//
// # Keys
//
// A lock named K is held while the string key K exists, and the value of K is the owner value of whoever holds it. That is
// what every SET NX lock does, so a lockrt lock and an older one exclude each other during a rollout. Three companions
// share K's cluster slot:
//
//	{K}:f   fence        string: the last fence that was handed out
//	{K}:q   queue        sorted set: lockers (one per process) in which somebody waits, by time of arrival in µs
//	{K}:r   reservation  string: the locker whose turn it is, for half a second after a release
//
// # What the scripts promise
//
//   - No time of a client is ever sent. TTLs are relative, other times are the server's own TIME: a client whose clock is
//     ten minutes off holds its lock exactly as long as another one.
//   - Acquire is idempotent by owner value: a request that was sent again because its reply got lost finds its own lock.
//   - Release and renew compare the owner value first, in the same script, so they cannot touch the next owner's lock.
//     Renew never creates a key: what is gone may have been somebody else's in the meantime.
//   - Release wakes one waiter, not all: it takes the first locker from the queue, reserves the free lock for it and
//     publishes to that locker's channel only. So a hand-over costs the same however many processes wait.
//   - A reservation lapses after half a second. The locker that slept through it has lost its place in the queue, so a
//     frozen process holds up the others once, and a dead one (nobody hears the message) not at all.
//   - What only makes waiting faster (queue, reservation, message) never makes a release fail: those commands are called
//     with pcall, and a waiter that was not told looks again by itself.
//
// # Fence
//
// The fence is max(last fence + 1, the server's clock in µs). The clock keeps it rising when the counter is lost: after a
// failover that lost writes, a FLUSHALL, a restart without persistence. The counter keeps it rising when the clock does
// not. {K}:f expires an hour after the moment that it names, so a clock that is set back still finds it, and keys that
// nobody locks any more leave nothing behind. It stays below 2^53 until the year 2255, so Lua counts it exactly.
package protocol
