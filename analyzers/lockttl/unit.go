package lockttl

import (
	"fmt"
	"go/types"
	"math/big"
	"time"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Bounds of what a lock's TTL can sensibly be. A value outside is in the wrong unit.
const (
	shortest = time.Millisecond
	longest  = 10 * 365 * 24 * time.Hour
	// secondsInPX: a PX of this and below is a number of seconds.
	secondsInPX = 60
	// millisAsSeconds: a round number of this and above that a helper takes for seconds is a number of milliseconds.
	millisAsSeconds = 5000
)

// wrongUnit reports a TTL that is given in another unit than the command takes.
func (c *checker) wrongUnit(s subject, ttl keyterm.Term, unit clientmodel.Unit) bool {
	why := ""
	if unit == clientmodel.Duration {
		why = durationFault(ttl)
	} else {
		why = wordFault(ttl, unit)
	}
	if why == "" {
		why = c.scaleFault(s, ttl, unit)
	}
	if why == "" {
		why = c.bareFault(s, ttl, unit)
	}
	if why == "" {
		return false
	}
	c.Report(judge.Fault{Kind: "ttl-unit", Level: finding.Error, At: s.at, Class: s.class, Path: s.path, Related: s.related(),
		Message: why + ": the lock ends at another time than the code says"})
	return true
}

// durationFault judges the value of a time.Duration.
func durationFault(t keyterm.Term) string {
	n, ok := judge.Number(t)
	switch {
	case !ok || n.Sign() <= 0:
	case n.Cmp(big.NewInt(int64(shortest))) < 0:
		return fmt.Sprintf("the TTL is %s, because a bare number is taken as nanoseconds (multiply it by time.Second)", time.Duration(n.Int64()))
	case n.Cmp(big.NewInt(int64(longest))) > 0:
		return "the TTL is longer than ten years, because a duration was multiplied by a unit once more"
	}
	return ""
}

// bareFault finds a plain number that is converted to a time.Duration as it is. Nobody counts nanoseconds in an int, which
// has 32 bits on some machines; an int64 may come from a duration.
func (c *checker) bareFault(s subject, t keyterm.Term, unit clientmodel.Unit) string {
	t = t.Strip()
	if unit != clientmodel.Duration || t.Type != "time.Duration" {
		return ""
	}
	name, typ := c.origin(s.fn, t)
	if typ == nil || !narrow(typ) {
		return ""
	}
	return fmt.Sprintf("%s is a plain number, and as a time.Duration a number of nanoseconds (multiply it by time.Second)", name)
}

// narrow are the integers that are not sure to have 64 bits.
func narrow(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	return b.Kind() != types.Int64 && b.Kind() != types.Uint64
}

// wordFault judges the value of a number that a command takes in a unit of its own.
func wordFault(t keyterm.Term, unit clientmodel.Unit) string {
	takes := map[clientmodel.Unit]string{clientmodel.Seconds: "seconds", clientmodel.Millis: "milliseconds"}[unit]
	n, ok := judge.Number(t)
	switch t = t.Strip(); {
	case takes == "":
		return ""
	case t.Type == "time.Duration" && t.Op != keyterm.Unknown && (!ok || n.Sign() != 0):
		return fmt.Sprintf("a time.Duration is passed as a number of nanoseconds, but the command takes %s", takes)
	case unit == clientmodel.Millis && ok && n.Sign() > 0 && n.Cmp(big.NewInt(secondsInPX)) <= 0:
		return fmt.Sprintf("the TTL is %s ms, which looks like a number of seconds, but the command takes milliseconds", n)
	}
	return ""
}

// scaleFault compares the unit that a number is in, as far as its origin says, with the one that the command takes.
func (c *checker) scaleFault(s subject, t keyterm.Term, unit clientmodel.Unit) string {
	takes := map[clientmodel.Unit]time.Duration{
		clientmodel.Duration: 1, clientmodel.Seconds: time.Second, clientmodel.Millis: time.Millisecond,
	}[unit]
	if takes == 0 {
		return ""
	}
	given := c.scaleOf(s.fn, t)
	for _, g := range given.nanos {
		if g.Cmp(new(big.Rat).SetInt64(int64(takes))) == 0 {
			return ""
		}
	}
	if len(given.nanos) == 0 {
		return ""
	}
	return fmt.Sprintf("%s counts %s, but is used as a number of %s", given.name, plural[given.unit], given.usedAs(takes))
}

// usedAs is the unit in which the number would be right.
func (s scale) usedAs(takes time.Duration) string {
	right := new(big.Rat).Mul(rat(s.unit), rat(takes))
	right.Quo(right, s.nanos[0])
	for u, name := range plural {
		if right.Cmp(rat(u)) == 0 {
			return name
		}
	}
	return "something else"
}

var plural = map[time.Duration]string{
	time.Nanosecond: "nanoseconds", time.Microsecond: "microseconds", time.Millisecond: "milliseconds", time.Second: "seconds",
	time.Minute: "minutes", time.Hour: "hours",
}
