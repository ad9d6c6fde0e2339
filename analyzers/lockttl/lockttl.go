package lockttl

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks how long a lock stays when nobody releases it.
var Analyzer *analysis.Analyzer = judge.Analyzer("lockttl", doc, check)

// checker is one run over one package.
type checker struct {
	*judge.Reporter
	// work is the longest visible bound of the work under the lock that a call takes; bySite is the same for an acquire,
	// over all calls that get there.
	work   map[ssa.CallInstruction]bound
	bySite map[lockfacts.Site]time.Duration
	// wired are the acquires whose TTL was reported at the call that makes the lock object.
	wired map[lockfacts.Site]bool
	long  []longTTL
	// extended are the shapes of keys that some command of the package extends.
	extended map[string]bool
	// seconds are the acquires that are handed numbers which plainly are seconds.
	seconds map[lockfacts.Site]bool
}

// check judges the TTL of every acquire that is part of a lock, in every function that it can be seen from: where a
// caller hands the TTL over, the caller's call is the place, and where a constructor does, the constructor's. It is a
// "may" analysis of what is certain: a TTL of which more than one value is possible makes no finding.
func check(r *judge.Reporter) {
	c := &checker{Reporter: r, work: map[ssa.CallInstruction]bound{}, bySite: map[lockfacts.Site]time.Duration{},
		wired: map[lockfacts.Site]bool{}, extended: map[string]bool{}, seconds: map[lockfacts.Site]bool{}}
	for _, x := range r.Res.Nearest() {
		if x.Op.Extends() {
			c.extended[r.Res.Shape(x.Fn, x.Key)] = true
		}
	}
	sections := c.sections()
	for i := range sections {
		c.measure(&sections[i])
	}
	c.wiring()
	c.noteSeconds()
	for _, fn := range r.Res.Functions {
		events := r.Res.Events(fn)
		for i := range events {
			switch e := &events[i]; {
			case !e.Op.Acquires() || !e.HasTTL:
			case e.Proven || e.Closed:
				c.acquire(e, events)
			case c.forOthers(e):
				c.wrongUnit(subject{at: e.At, acquire: e.At, fn: fn}, e.TTL, e.Unit)
			}
		}
	}
	c.reportLong()
	for i := range sections {
		c.short(&sections[i])
	}
}

// forOthers reports whether an acquire is that of a helper that locks what its callers say: the package also gives back
// keys that are handed in, by comparing the owner. Only callers prove that it is a lock, but a unit that is mixed up in
// the helper is wrong for all of them.
func (c *checker) forOthers(e *lockfacts.Event) bool {
	if len(e.Path) > 0 || e.Key.Op != keyterm.Param {
		return false
	}
	for _, x := range c.Res.Own() {
		if x.Op.Releases() && x.Guard == clientmodel.Atomic && x.Key.Op == keyterm.Param {
			return true
		}
	}
	return false
}

// subject is what a finding is about.
type subject struct {
	at, acquire lockfacts.Site
	class       string
	path        []lockfacts.Site
	fn          *ssa.Function
}

// acquire judges one acquire.
func (c *checker) acquire(e *lockfacts.Event, events []lockfacts.Event) {
	ttl := c.fixed(e.TTL)
	s := subject{at: where(e, ttl), acquire: e.At, class: e.Key.Class(), path: judge.Flow(&e.Effect), fn: e.Fn}
	if c.wrongUnit(s, ttl, e.Unit) || c.thousands(s, e, ttl) {
		return
	}
	d, ok := judge.Duration(ttl, e.Unit)
	switch {
	case !ok:
	case unlimited(d, &e.Effect) && c.wired[e.At] && s.at == e.TTLAt:
		// the object that is handed over was reported where it was made
	case unlimited(d, &e.Effect):
		if x := expiredLater(e, events); x != nil {
			c.nonatomic(s, &e.Effect, &x.Effect)
		} else if !c.mayExpire(e) {
			c.none(s)
		}
	case !c.renewed(e):
		l := longTTL{subject: s, ttl: d, work: c.work[e.Instr]}
		if s.at == e.At {
			l.elsewhere = c.bySite[e.At]
		}
		c.tooLong(l, ttl)
	}
}

// mayExpire reports whether the function that sends the command is given a function that it hands the key and a duration:
// a client's Expire, as a rule. Whether it is one, those know who hand it in.
func (c *checker) mayExpire(e *lockfacts.Event) bool {
	s := c.Res.Summary(e.At.Function)
	if s == nil {
		return false
	}
	keys := []keyterm.Term{e.Key}
	for _, x := range s.Effects {
		if x.At == e.At {
			keys = append(keys, x.Key)
		}
	}
	for _, r := range s.Runs {
		isKey := func(a keyterm.Term) bool {
			return slices.ContainsFunc(keys, func(k keyterm.Term) bool { return keyterm.Equal(a, k) })
		}
		if slices.ContainsFunc(r.Args, isKey) && slices.ContainsFunc(r.Args, isDuration) {
			return true
		}
	}
	return false
}

func isDuration(t keyterm.Term) bool { return t.Strip().Type == "time.Duration" }

// unlimited reports whether a TTL means that the key never goes.
func unlimited(d time.Duration, e *lockfacts.Effect) bool {
	return !e.Library && (d == 0 || d == clientmodel.KeepTTL && e.Unit == clientmodel.Duration)
}

// fixed is a TTL with what is known of the fields and flags that it comes from.
func (c *checker) fixed(ttl keyterm.Term) keyterm.Term { return defaults(c.Res.Resolve(ttl)) }

// where is the place that a TTL is to be changed at: the call or field that the constant is written in, else the call
// that hands the TTL over, else the acquire itself.
func where(e *lockfacts.Event, ttl keyterm.Term) lockfacts.Site {
	if s := written(ttl); s.IsValid() {
		return s
	}
	if e.TTLAt.IsValid() {
		return e.TTLAt
	}
	return e.At
}

func (s subject) related() []finding.Related {
	if s.at == s.acquire {
		return nil
	}
	return []finding.Related{judge.Related(s.acquire, "acquired here")}
}

func (c *checker) none(s subject) {
	c.Report(judge.Fault{Kind: "no-ttl", Level: finding.Error, At: s.at, Class: s.class, Path: s.path, Related: s.related(),
		Message: "the key is set without a TTL: after a crash here it stays for ever, and nothing but a person removes it; " +
			"give the TTL in the same command and renew it while the work runs"})
}

// expiredLater is an EXPIRE of the same key that the same flow sends in a second command.
func expiredLater(e *lockfacts.Event, events []lockfacts.Event) *lockfacts.Event {
	for i := range events {
		x := &events[i]
		if x.Op == clientmodel.Expire && !x.Async && keyterm.Equal(x.Key, e.Key) {
			return x
		}
	}
	return nil
}

// apart is the call of the acquire in the function in which the ways to the two commands part.
func apart(e, x *lockfacts.Effect) lockfacts.Site {
	for i, s := range e.Path {
		if i >= len(x.Path) || x.Path[i] != s {
			return s
		}
	}
	return e.At
}

func (c *checker) nonatomic(s subject, e, x *lockfacts.Effect) {
	c.Report(judge.Fault{Kind: "nonatomic-ttl", Level: finding.Error, At: apart(e, x), Class: s.class, Path: s.path,
		Related: []finding.Related{judge.Related(x.At, "TTL given here")},
		Message: fmt.Sprintf("the TTL is given in a second command (%s): a crash or a lost connection in between leaves the key for ever; "+
			"give the TTL in the same SET NX", judge.Brief(x.At))})
}

// renewed reports whether something extends the lease: beside this acquire, or any command of the package on the same
// shape of key.
func (c *checker) renewed(e *lockfacts.Event) bool {
	if e.Renewed {
		return true
	}
	s := c.Res.Shape(e.Fn, e.Key)
	return s != "" && c.extended[s]
}
