package ownercheck

import (
	"slices"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// sites knows every command of the package by its place, as each function around it sees it.
type sites map[keyterm.Pos][]lockfacts.Event

func allSites(r *judge.Reporter) sites {
	s := sites{}
	for _, fn := range r.Res.Functions {
		for _, e := range r.Res.Events(fn) {
			s[e.At.Pos] = append(s[e.At.Pos], e)
		}
	}
	return s
}

// stronger reports whether everybody in the package who calls the function of e makes more sure of the owner than that
// function does: a closure that only deletes, run by one that compares before, or under WATCH.
func (s sites) stronger(e lockfacts.Event) bool {
	called := false
	for _, c := range s[e.At.Pos] {
		if len(c.Path) != len(e.Path)+1 || !slices.Equal(c.Path[1:], e.Path) || !sameSort(c.Op, e.Op) {
			continue
		}
		called = true
		if c.Guard <= e.Guard && !s.stronger(c) {
			return false
		}
	}
	return called
}

func sameSort(a, b clientmodel.Op) bool {
	return a == b || a.Releases() && b.Releases() || a.Extends() && b.Extends()
}

// alone judges a command on the key of a known lock class that stands apart from any acquire.
func alone(r *judge.Reporter, e lockfacts.Event, all sites) {
	if !e.Proven || e.Closed || e.Library || e.Guard != clientmodel.Unchecked && e.Guard != clientmodel.NotAtomic {
		return
	}
	c, ok := classOf(r, e)
	if !ok || all.stronger(e) {
		return
	}
	acq := &lockfacts.Event{Effect: lockfacts.Effect{At: c.Acquire, TTL: c.TTL, Unit: c.Unit}}
	switch {
	case e.Op == clientmodel.Delete && e.Guard == clientmodel.NotAtomic:
		nonatomic(r, acq, e)
	case e.Op == clientmodel.Delete:
		ownerless(r, acq, e)
	case e.Op == clientmodel.Expire, e.Op == clientmodel.SetIfPresent:
		if c.Acquire.Function != e.At.Function && !besideAcquire(r, e) {
			ownerlessExtend(r, c.Acquire, e)
		}
	}
}

// besideAcquire reports whether the function that prolongs has just acquired the key itself: then the command gives the
// TTL, and is lockttl's.
func besideAcquire(r *judge.Reporter, e lockfacts.Event) bool {
	return slices.ContainsFunc(r.Res.Events(e.Fn), func(x lockfacts.Event) bool {
		return x.Op.Acquires() && x.At.Function == e.At.Function && keyterm.Equal(x.Key, e.Key)
	})
}

// classOf is the lock class of the command's key.
func classOf(r *judge.Reporter, e lockfacts.Event) (lockfacts.LockClass, bool) {
	s := r.Res.Shape(e.Fn, e.Key)
	for _, c := range r.Res.Classes {
		if c.Class == s {
			return c, true
		}
	}
	return lockfacts.LockClass{}, false
}
