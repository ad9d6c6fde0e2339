package lockttl

import (
	"fmt"
	"time"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// thousands reports a number that somebody hands to a helper which multiplies it by a second, and which makes odd hours
// where milliseconds would make seconds: 30000, not 3600. The helper's command is the place, unless other callers hand it
// seconds.
func (c *checker) thousands(s subject, e *lockfacts.Event, ttl keyterm.Term) bool {
	n, ok := c.handedSeconds(e, ttl)
	if !ok || !roundMillis(n) {
		return false
	}
	at := e.At
	if c.seconds[e.At] {
		at = s.at
	}
	c.Report(judge.Fault{Kind: "ttl-unit", Level: finding.Error, At: at, Class: s.class, Path: s.path,
		Related: []finding.Related{judge.Related(s.at, "%d is handed over here", n)},
		Message: fmt.Sprintf("the number %d looks like milliseconds and is multiplied by a second, which makes %s: the lock ends at another "+
			"time than the code says", n, span(time.Duration(n)*time.Second))})
	return true
}

// handedSeconds is the number that a caller hands to a helper which multiplies it by a second for its command.
func (c *checker) handedSeconds(e *lockfacts.Event, ttl keyterm.Term) (int64, bool) {
	n, ok := judge.Number(ttl)
	if !ok || len(e.Path) == 0 || e.Unit != clientmodel.Duration || !n.IsInt64() || n.Int64()%int64(time.Second) != 0 {
		return 0, false
	}
	s := c.Res.Summary(e.At.Function)
	if s == nil {
		return 0, false
	}
	for _, x := range s.Effects {
		if x.At == e.At && timesSecond(x.TTL) {
			return n.Int64() / int64(time.Second), true
		}
	}
	return 0, false
}

// timesSecond reports whether a TTL is a parameter times a second.
func timesSecond(t keyterm.Term) bool {
	t = t.Strip()
	if t.Op != keyterm.Arith || t.Text != "*" || len(t.Args) != 2 {
		return false
	}
	a, b := t.Args[0].Strip(), t.Args[1].Strip()
	if a.Op == keyterm.Const {
		a, b = b, a
	}
	n, ok := judge.Number(b)
	return ok && a.Op == keyterm.Param && n.IsInt64() && n.Int64() == int64(time.Second)
}

// roundMillis reports whether a number is more likely one of milliseconds than one of seconds. Whole hours are seconds.
func roundMillis(n int64) bool { return n >= millisAsSeconds && n%1000 == 0 && n%3600 != 0 }

// noteSeconds remembers the helpers that are handed numbers which are seconds.
func (c *checker) noteSeconds() {
	for _, fn := range c.Res.Functions {
		for _, e := range c.Res.Events(fn) {
			if !e.Op.Acquires() || !e.HasTTL {
				continue
			}
			if n, ok := c.handedSeconds(&e, c.fixed(e.TTL)); ok && !roundMillis(n) {
				c.seconds[e.At] = true
			}
		}
	}
}
