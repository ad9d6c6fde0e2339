// Package acquirecheck finds acquires whose outcome is not looked at, or is looked at and lost.
//
// # Analyzer acquirecheck
//
// An acquire ends in one of three ways: the lock is held, somebody else holds it (contention), or Redis could not be
// asked (outage). The first means work, the second means that somebody works, the third means that nothing is known.
// Code that puts two of them into one branch does the wrong thing in one of the two.
//
// Every acquire is followed through the function that makes it, once for each way to end, through named results,
// switches, wrapped errors, sentinels and types of the program, errors.Is and errors.As. What comes out of a helper is
// known to its callers. Only locks are judged: a key that is also released, or whose owner is compared somewhere. A
// helper that loses a difference is reported once, at the place where it is lost; its callers cannot know better and are
// not reported.
//
// # acquire-ignored
//
// # What it does
//
// Reports an acquire whose result decides nothing: it is dropped, only its error is looked at, or "taken" is logged and
// the work goes on. It also reports a helper whose callers cannot learn whether they hold the lock, and a wait that ends
// without the lock and says nothing.
//
// # Why is this bad
//
// The lock excludes nobody. Two replicas change the same thing at once, and when the loser comes to its release, it may
// free the winner's lock as well. Nothing fails: the code takes a lock, and the log shows that it does.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//	if err != nil {
//		return err
//	}
//	defer unlock(ctx, key, owner)
//	return book(ctx, seat)
//
// # Use instead
//
//	ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//	if err != nil {
//		return fmt.Errorf("lock of seat %d: %w", seat, err)
//	}
//	if !ok {
//		return ErrTaken
//	}
//	defer unlock(ctx, key, owner)
//	return book(ctx, seat)
//
// # Known problems
//
// A result that is stored in a field, sent, or handed to a function of the program may be looked at there: that is not
// reported. Where the loser has a way of its own to return well, such as finding the result in a cache, it is not
// reported either; nor is a loser that waits for something first. A comment or log line where the lock is taken that
// speaks of going on without it makes a note of it. In a helper that returns nothing, and keeps the key on purpose if it got it, "only if it got it" is
// enough, unless a caller releases the key.
//
// # Fix safety
//
// There is no fix: what the loser is to do is a decision.
//
// # error-conflated
//
// # What it does
//
// Reports the condition or return at which contention and outage become one: `err != nil || !ok`, a result that is read
// without its error, one sentinel or one bool for both, texts that match nothing for both. A wait that answers the end of
// its caller's context as it answers a lock that stays taken is reported, too.
//
// # Why is this bad
//
// During an outage every replica believes that another one does the work, so that nobody does, and nobody is told: the
// job "already runs elsewhere" for as long as Redis is away. The other way round, a caller that retries on an outage also
// retries while somebody works.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//	if err != nil || !ok {
//		return ErrTaken
//	}
//
// # Use instead
//
//	if err != nil {
//		return fmt.Errorf("lock %s: %w", key, err)
//	}
//	if !ok {
//		return ErrTaken
//	}
//
// # Known problems
//
// An error that still matches a sentinel or type is not conflated, whatever its text; one that is handed to a function of
// the program is not judged, for that may ask it. In a function that returns nothing, or that answers both as it answers
// success, two branches that do different things, such as writing different log lines, are told apart; one branch that
// writes the error itself to a log is a note. A wait that
// nothing but its context ends has one answer, and that is right.
//
// # Fix safety
//
// There is no fix: callers have to be ready for the second error.
//
// # work-error-conflated
//
// # What it does
//
// Reports a helper that runs work which it is given, and returns for failed work what it returns when the lock was taken:
// the same sentinel, the same bool, texts for both, or the work's error wrapped in the sentinel of contention. It stands
// at the return for failed work.
//
// # Why is this bad
//
// Callers skip quietly when the lock is taken, because somebody else works. If they cannot tell, they skip quietly as
// well when the work was tried and has failed.
//
// # Example
//
//	if !ok {
//		return ErrNotDone
//	}
//	defer unlock(ctx, key, owner)
//	if err := work(ctx); err != nil {
//		return ErrNotDone
//	}
//
// # Use instead
//
//	if !ok {
//		return ErrTaken
//	}
//	defer unlock(ctx, key, owner)
//	if err := work(ctx); err != nil {
//		return fmt.Errorf("%s: %w", key, err)
//	}
//
// # Known problems
//
// Only functions and methods that are given a function are judged. Contention that is a mere text beside work whose error
// is handed on is not reported.
//
// # Fix safety
//
// There is no fix: callers have to be ready for the second error.
//
// # skipped-as-success
//
// # What it does
//
// Notes a return by which a function answers nil, as it does after success, when the lock is taken. It is a note, shown
// with -level=note.
//
// # Why is this bad
//
// Whoever called believes that the work was done, and so does whoever called that one: the payment is acknowledged, the
// message is gone. In a batch that comes again it is what one wants.
//
// # Example
//
//	if !ok {
//		return nil
//	}
//
// # Use instead
//
//	if !ok {
//		return ErrTaken // and let the caller decide that this is fine
//	}
//
// # Known problems
//
// Whether somebody waits for the answer is not known here. A function that returns a bool beside the error is not noted.
//
// # Fix safety
//
// There is no fix: whether it is wrong depends on the caller.
//
// # fail-open
//
// # What it does
//
// Reports the condition that lets the section run when Redis fails although it does not when the lock is taken: `err ==
// nil && !ok`, an error that is logged only, a handle that is nil, a helper that says "held" for an error.
//
// # Why is this bad
//
// While Redis is away every replica runs the section at once. That may be right, for work that is harmless twice; where
// it is not, the lock fails exactly when the most goes wrong, and nobody has decided so.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, key, owner, 30*time.Second).Result()
//	if err == nil && !ok {
//		return ErrTaken
//	}
//	// err != nil comes here, too
//
// # Use instead
//
//	if err != nil {
//		return fmt.Errorf("lock %s: %w", key, err)
//	}
//	if !ok {
//		return ErrTaken
//	}
//
// Where the work is safe to run twice, say so in a comment on the branch or in its log line.
//
// # Known problems
//
// A comment on the branch, or a log line in it, that speaks of going on without the lock makes it a note. A setting that
// is asked in the branch makes it right. That Redis is not configured at all is no failure.
//
// # Fix safety
//
// There is no fix: whether to go on without the lock is a decision.
package acquirecheck

const doc = "acquirecheck: acquires whose outcome is not looked at, or is looked at and lost"
