package lockttl

import (
	"fmt"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// section is work that runs under a lock: between an acquire and a release, or in a function that a helper runs while it
// holds its lock.
type section struct {
	acquire *lockfacts.Event
	lock    *lockfacts.Lock
	run     *ssa.Function // for a helper's lock
	env     keyterm.Env
	renewed bool
	work    bound
}

// sections lists the package's.
func (c *checker) sections() []section {
	var out []section
	for i := range c.Res.Locks {
		l := &c.Res.Locks[i]
		e := &l.Acquire
		out = append(out, section{acquire: e, lock: l, renewed: len(l.Extends) > 0 || c.renewed(e)})
	}
	for _, fn := range c.Res.Functions {
		for _, run := range c.Res.RunsUnder(fn) {
			if e := acquireOf(c.Res.Events(run.By), run); e != nil {
				out = append(out, section{acquire: e, run: fn, env: run.Env, renewed: c.renewed(e)})
			}
		}
	}
	return out
}

// acquireOf is the acquire of the lock under which a helper runs a function, as the helper's caller sees it.
func acquireOf(events []lockfacts.Event, run lockfacts.RunUnder) *lockfacts.Event {
	for i := range events {
		e := &events[i]
		if e.Instr != run.Call || !e.Op.Acquires() {
			continue
		}
		for _, h := range run.Under {
			if h.Acquire == e.At {
				return e
			}
		}
	}
	return nil
}

// measure finds the longest visible bound of a section's work.
func (c *checker) measure(s *section) {
	b := &bounds{checker: c, seen: map[*ssa.Function]bool{}}
	if s.lock != nil {
		b.section(s.lock)
	} else {
		b.body(s.run, s.env, 0, 0)
	}
	s.work = b.best
	if s.work.duration > c.work[s.acquire.Instr].duration {
		c.work[s.acquire.Instr] = s.work
	}
	c.bySite[s.acquire.At] = max(c.bySite[s.acquire.At], s.work.duration)
}

// short reports a lease that a visible bound of the work exceeds: a timeout of the context that calls in the section
// run on, the timeout of an HTTP client, a sleep. Work without a visible bound is not judged.
func (c *checker) short(s *section) {
	e := s.acquire
	d, ok := judge.Duration(c.fixed(e.TTL), e.Unit)
	if !ok || d < shortest || s.renewed || s.work.duration <= d {
		return
	}
	at := c.Res.Site(e.Instr)
	related := []finding.Related{judge.Related(s.work.at, "%s, here", s.work.what)}
	if given := where(e, c.fixed(e.TTL)); given.Pos != at.Pos {
		related = append(related, judge.Related(given, "the lease is given here"))
	}
	c.Report(judge.Fault{Kind: "short-ttl", Level: finding.Warning, At: at, Class: e.Key.Class(), Path: judge.Flow(&e.Effect), Related: related,
		Message: fmt.Sprintf("the lease is %s but the work may run %s (%s at %s): after the lease somebody else works too; renew the lease "+
			"and stop when that fails, or bound the work below it", span(d), span(s.work.duration), s.work.what, judge.Brief(s.work.at))})
}

// bound is how long some work may take, and what says so.
type bound struct {
	duration time.Duration
	what     string
	at       lockfacts.Site
}
