package kinds

import "github.com/leasevet/leasevet/internal/finding"

// Short names, so that a row of the table stays a row.
const (
	e = finding.Error
	w = finding.Warning
	n = finding.Note

	now   = true  // this version looks for it
	later = false // the id is reserved
)

// table is in the order in which the documentation presents the kinds. Add rows, never rename one: suppressions and
// baselines of users rely on the ids.
var table = []Kind{
	{"ownercheck", "ownerless-release", e, "a lock key is deleted with no check that the caller still owns it", now},
	{"ownercheck", "nonatomic-release", e, "the owner is read, compared, and the key deleted in separate commands", now},
	{"ownercheck", "constant-owner", e, "the stored owner value is the same for several holders", now},
	{"ownercheck", "ownerless-extend", e, "the TTL is prolonged without checking the owner in the same command", now},
	{"ownercheck", "owner-overwritten", e, "the owner value is kept where another acquire overwrites it", now},
	{"ownercheck", "broken-release", e, "the release can never work", now},
	{"ownercheck", "release-not-acquired", e, "the release also runs when the acquire said no or failed", now},

	{"selfcall", "self-call", e, "a function that a lock wrapper protects is called past the wrapper", now},

	{"lockttl", "no-ttl", e, "the key is set without a TTL: a crash leaves it for ever", now},
	{"lockttl", "nonatomic-ttl", e, "the TTL is given in a second command", now},
	{"lockttl", "long-ttl", w, "a long fixed TTL with no renewal: it is the recovery time after a crash", now},
	{"lockttl", "ttl-unit", e, "the TTL is given in the wrong unit", now},
	{"lockttl", "short-ttl", w, "the work may take longer than the TTL, and nothing extends it", now},

	{"lockkey", "key-from-strings", w, "the key is assembled from strings where it is acquired", now},
	{"lockkey", "unstable-key", e, "the key differs from run to run for the same resource", now},
	{"lockkey", "ambiguous-key", e, "different resources can get the same key", now},
	{"lockkey", "empty-key-part", w, "a part of the key can silently be empty: the lock becomes a global one", now},
	{"lockkey", "key-ignores-entity", n, "the function works on one entity, and the key does not depend on it", now},
	{"lockkey", "mismatched-prefix", e, "one resource has keys that are spelled differently", now},
	{"lockkey", "shared-key", n, "unrelated work acquires the same key", now},
	{"lockkey", "duplicate-prefix", w, "the same key prefix is spelled in two places", now},

	{"acquirecheck", "acquire-ignored", e, "whether the lock was acquired is not looked at", now},
	{"acquirecheck", "error-conflated", w, "contention and outage end in the same branch or result", now},
	{"acquirecheck", "work-error-conflated", w, "failed work and failed acquire cannot be told apart", now},
	{"acquirecheck", "skipped-as-success", n, "not acquired returns what success returns", now},
	{"acquirecheck", "fail-open", w, "when Redis fails the section runs without the lock", now},

	{"lockwait", "polling-wait", w, "acquiring is retried at a fixed pause", now},
	{"lockwait", "unbounded-wait", w, "waits without a limit or a context that can end it", now},

	{"lockscope", "leak-on-path", e, "a path leaves the section without releasing", now},
	{"lockscope", "release-on-request-ctx", e, "the release runs on a context that may be cancelled by then", now},
	{"lockscope", "release-before-commit", e, "the lock is released before the transaction is committed", now},
	{"lockscope", "goroutine-outlives-lock", w, "a goroutine of the section may run on after the release", now},
	{"lockscope", "lost-lease-ignored", w, "extending fails and the work goes on", now},
	{"lockscope", "stale-read", n, "what decides the change was read before the lock was taken", later},
	{"lockscope", "renewal-leak", w, "what renews the lease is not stopped on release", now},

	{"lockorder", "reentrant-deadlock", e, "the same key is acquired again while it is held", now},
	{"lockorder", "lock-order", w, "two keys are acquired in opposite orders", now},

	{"missinglock", "unguarded-call", e, "a guarded function is called without its lock", later},
	{"missinglock", "unlocked-path", w, "a resource is changed under a lock on one path and without it on another", later},

	{"fencing", "unfenced-write", n, "nothing protects a write from an owner that lost its lease", later},

	{"lockapi", "library-misuse", e, "a rule of a lock library is broken", now},

	{Directive, BadDirective, w, "a leasevet comment is malformed, or stands where it says nothing", now},
	{Directive, UnusedDirective, w, "an ignore comment covers no finding any more", now},
}
