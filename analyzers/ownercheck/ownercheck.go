package ownercheck

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks who may release and extend a lock.
var Analyzer *analysis.Analyzer = judge.Analyzer("ownercheck", doc, check)

// check judges the locks whose acquire and release meet in some function of the package, and then the commands of the
// package on keys of a known lock class that met no acquire. It is a "may" analysis of what is certain: a lock that is
// not proven, an owner that is not understood, makes no finding.
func check(r *judge.Reporter) {
	for i := range r.Res.Locks {
		l := &r.Res.Locks[i]
		for _, e := range l.Releases {
			release(r, l, e)
		}
		for _, e := range l.Losers {
			if unguarded(r, l, e) {
				notAcquired(r, l, e)
			}
		}
		for _, e := range l.Extends {
			extend(r, &l.Acquire, e)
		}
		owner(r, l)
	}
	all := allSites(r)
	for _, fn := range r.Res.Functions {
		for _, e := range r.Res.Events(fn) {
			alone(r, e, all)
			lookedUp(r, e)
		}
	}
	for _, e := range r.Res.Own() {
		faults(r, e)
	}
	for _, fn := range r.Res.Functions {
		swapped(r, r.Res.Events(fn))
	}
	overwritten(r)
	keptShared(r)
	sharedField(r)
}

// release judges one release of a lock.
func release(r *judge.Reporter, l *lockfacts.Lock, e lockfacts.Event) {
	switch {
	case e.Library:
		return
	case e.Guard == clientmodel.Unchecked && e.Op == clientmodel.Delete:
		ownerless(r, &l.Acquire, e)
	case e.Guard == clientmodel.NotAtomic:
		nonatomic(r, &l.Acquire, e)
	case e.Guard == clientmodel.Atomic:
		mismatch(r, l, e)
	}
	if e.WhenTaken && unguarded(r, l, e) {
		notAcquired(r, l, e)
	}
}

// unguarded reports whether a release frees the lock for anybody: it compares nothing, or what all holders share.
func unguarded(r *judge.Reporter, l *lockfacts.Lock, e lockfacts.Event) bool {
	if e.Guard == clientmodel.Unchecked {
		return true
	}
	what, _ := shared(r.Res.Resolve(e.Owner))
	return what == "constant" && keyterm.Equal(r.Res.Resolve(l.Acquire.Owner), r.Res.Resolve(e.Owner))
}

func ownerless(r *judge.Reporter, acq *lockfacts.Event, e lockfacts.Event) {
	r.Report(judge.Fault{
		Kind: "ownerless-release", Level: finding.Error, At: e.At, Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
		Message: fmt.Sprintf("this deletes the lock whoever owns it now: if the work outlives the lease%s, it removes the next "+
			"holder's lock; store a random owner value and compare and delete in one step", lease(acq)),
		Related: []finding.Related{judge.Related(acq.At, "acquired here")},
	})
}

// lease names the TTL where it is known.
func lease(acq *lockfacts.Event) string {
	if d, ok := judge.Duration(acq.TTL, acq.Unit); ok && d > 0 {
		return " of " + d.String()
	}
	return ""
}

func nonatomic(r *judge.Reporter, acq *lockfacts.Event, e lockfacts.Event) {
	r.Report(judge.Fault{
		Kind: "nonatomic-release", Level: finding.Error, At: e.At, Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
		Message: "the owner is read and compared before, and the key deleted in a separate command: the lease can end in between, " +
			"and this removes the next holder's lock; compare and delete in one script, or with DELEX ... IFEQ",
		Related: []finding.Related{judge.Related(acq.At, "acquired here")},
	})
}

func notAcquired(r *judge.Reporter, l *lockfacts.Lock, e lockfacts.Event) {
	verb := "this release"
	if e.Deferred {
		verb = "this deferred release"
	}
	at := e.At
	if len(e.Path) > 0 {
		at = e.Path[0] // where the caller lets it run, not the helper that does as it is told
	}
	r.Report(judge.Fault{
		Kind: "release-not-acquired", Level: finding.Error, At: at, Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
		Message: fmt.Sprintf("%s also runs when the acquire at %s said that somebody else holds the lock: the loser frees the "+
			"winner's lock; move it below the check of the result", verb, judge.Brief(l.Acquire.At)),
		Related: []finding.Related{judge.Related(l.Acquire.At, "acquired here")},
	})
}

// extend judges one extend of a lock that the same function acquired. An EXPIRE beside its own acquire gives the TTL in
// a second command, which is lockttl's.
func extend(r *judge.Reporter, acq *lockfacts.Event, e lockfacts.Event) {
	if e.Library || e.Guard != clientmodel.Unchecked && e.Guard != clientmodel.NotAtomic || e.At.Function == acq.At.Function && !e.Async {
		return
	}
	ownerlessExtend(r, acq.At, e)
}

func ownerlessExtend(r *judge.Reporter, acq lockfacts.Site, e lockfacts.Event) {
	r.Report(judge.Fault{
		Kind: "ownerless-extend", Level: finding.Error, At: e.At, Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
		Message: "this prolongs the lease even when another flow owns the lock by now; compare the owner and set the TTL in one script, " +
			"and stop the work when the owner has changed",
		Related: []finding.Related{judge.Related(acq, "acquired here")},
	})
}
