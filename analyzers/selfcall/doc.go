// Package selfcall finds calls that go past the wrapper which takes the lock.
//
// # Analyzer selfcall
//
// A wrapper stands for another function and calls it under a lock: a decorator of the same interface, a type that
// embeds another one, a wrapped function value, a middleware, a method that does nothing but run one other method
// under a lock. Whoever calls the bare function directly runs without the lock, although the code looks protected.
//
// # self-call
//
// # What it does
//
// Reports a call that certainly reaches a function which some wrapper calls under a lock, where no lock of that class is
// held.
//
// # Why is this bad
//
// Two replicas do the work at the same time, silently. Reviews and tests pass, because the wrapper is there and the lock
// works for everybody who goes through it. Calling one's own method directly is the usual way past.
//
// # Example
//
//	func (g *guarded) Renew(ctx context.Context, plan int64) error {
//		return g.lock.With(ctx, renewKey(plan), func(ctx context.Context) error { return g.next.Renew(ctx, plan) })
//	}
//
//	func (p *plain) RenewDue(ctx context.Context, due []int64) error {
//		for _, plan := range due {
//			p.Renew(ctx, plan) // not locked: p is the bare value
//		}
//		return nil
//	}
//
// # Use instead
//
// Let the caller hold the wrapper and call that; or take the same lock around the call; or split the bare function from
// those that call it, so that nobody has it at hand. Where every caller holds the lock in a way that is not seen here,
// say so above the bare function with //leasevet:guardedby CLASS reason.
//
// # Known problems
//
// A wrapper counts if it takes the lock itself, has the signature of what it calls (or is a function literal that does
// nothing but the call) and hands on what it was given. A function that wrappers call under two classes has no
// protecting class and is not judged. Values that are kept in maps or slices, and routers that are handed their handlers
// in another package, are not followed. A bypass inside a package that knows nothing of the wrapper is found by the
// command only (scope "program"), because go vet and golangci-lint never see the two packages together. A bypass behind
// a boolean parameter is asked for by name and stands as a note. A function with a guardedby directive is not judged.
//
// # Fix safety
//
// There is no fix; which of the three cures is right depends on the program.
package selfcall

const doc = "selfcall: calls that go past the wrapper which takes the lock"
