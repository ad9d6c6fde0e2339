package lockttl

import (
	"fmt"
	"strings"
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
	secondsInPX = 120
)

// wrongUnit reports a TTL that is given in another unit than the command takes.
func wrongUnit(r *judge.Reporter, s subject, ttl keyterm.Term, unit clientmodel.Unit) bool {
	why := ""
	switch unit {
	case clientmodel.Duration:
		why = durationFault(ttl)
	case clientmodel.Seconds:
		why = wordFault(ttl, "seconds", "(time.Duration).Milliseconds", "milliseconds")
	case clientmodel.Millis:
		why = wordFault(ttl, "milliseconds", "(time.Duration).Seconds", "seconds")
		if d, ok := judge.Duration(ttl, clientmodel.Millis); why == "" && ok && d > 0 && d <= secondsInPX*time.Millisecond {
			why = fmt.Sprintf("the TTL is %s, which looks like a number of seconds: the command takes milliseconds", d)
		}
	}
	if why == "" {
		return false
	}
	r.Report(judge.Fault{Kind: "ttl-unit", Level: finding.Error, At: s.at, Class: s.class, Path: s.path, Related: s.related(),
		Message: why + "; the lock ends at another time than the code says"})
	return true
}

// durationFault judges a time.Duration.
func durationFault(t keyterm.Term) string {
	d, ok := judge.Duration(t, clientmodel.Duration)
	switch {
	case ok && d > 0 && d < shortest:
		return fmt.Sprintf("a bare number is taken as nanoseconds: the TTL is %s; multiply it by time.Second", d)
	case ok && d > longest:
		return fmt.Sprintf("the TTL is %s: a duration was multiplied by a unit once more", d)
	}
	return ""
}

// wordFault judges a number that is handed to a command with a unit of its own.
func wordFault(t keyterm.Term, takes, wrong, gives string) string {
	t = t.Strip()
	switch {
	case t.Op == keyterm.Call && t.Text == wrong:
		return fmt.Sprintf("the TTL is given in %s, but the command takes %s", gives, takes)
	case t.Type == "time.Duration" && t.Op != keyterm.Unknown:
		return fmt.Sprintf("a time.Duration is passed as a number of nanoseconds, but the command takes %s", takes)
	case t.Op == keyterm.Arith && len(t.Args) > 0 && strings.HasSuffix(t.Args[0].Text, wrong) && t.Text != "/" && t.Text != "*":
		return fmt.Sprintf("the TTL is given in %s, but the command takes %s", gives, takes)
	}
	return ""
}
