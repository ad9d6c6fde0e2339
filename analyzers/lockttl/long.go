package lockttl

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"time"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
)

const (
	// limit is the TTL from which on a fixed one is long: it is the recovery time after a crash.
	limit = 5 * time.Minute
	// noticeable is the TTL from which on one is worth a note if the work is seen to need far less.
	noticeable = time.Minute
	// generous is how many times the visible bound of the work a TTL may be without being called long: a lease that
	// was chosen for the work is not a guess.
	generous = 4
)

// longTTL is a TTL that is to be reported, once all of them are known: one constant makes one finding.
type longTTL struct {
	subject
	ttl  time.Duration
	work bound
	// elsewhere is the longest bound of work under the same acquire in other functions.
	elsewhere time.Duration
	level     finding.Level
	// constant is the named constant or package-level variable that was written at the place, nil for none.
	constant types.Object
}

// tooLong collects a TTL that is longer than it should be.
func (c *checker) tooLong(l longTTL, ttl keyterm.Term) {
	needed := max(l.work.duration, l.elsewhere)
	switch {
	case l.ttl >= limit && l.ttl > generous*needed:
		l.level = finding.Warning
	case l.ttl >= noticeable && l.ttl < limit && l.work.duration > 0 && l.ttl >= generous*needed:
		l.level = finding.Note
	default:
		return
	}
	l.constant = c.constantAt(l.at, ttl)
	c.long = append(c.long, l)
}

// reportLong reports each constant at the first place, by path, that hands it over; the others are related.
func (c *checker) reportLong() {
	slices.SortStableFunc(c.long, func(a, b longTTL) int {
		return cmp.Or(cmp.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Column, b.at.Column),
			cmp.Compare(len(a.path), len(b.path)))
	})
	for i, l := range c.long {
		if l.constant == nil {
			c.reportOne(l, nil)
			continue
		}
		same := func(x longTTL) bool { return x.constant == l.constant }
		if slices.IndexFunc(c.long, same) == i {
			c.reportOne(l, c.otherUses(i, same))
		}
	}
}

// otherUses are the further places that hand the constant of c.long[first] over.
func (c *checker) otherUses(first int, same func(longTTL) bool) []finding.Related {
	seen := map[keyterm.Pos]bool{c.long[first].at.Pos: true}
	var out []finding.Related
	for _, x := range c.long[first+1:] {
		if same(x) && !seen[x.at.Pos] && len(out) < maxRelated {
			seen[x.at.Pos] = true
			out = append(out, judge.Related(x.at, "handed over here too"))
		}
	}
	return out
}

// maxRelated bounds the list of places where one constant is used.
const maxRelated = 10

func (c *checker) reportOne(l longTTL, others []finding.Related) {
	related, ends := l.related(), ""
	if l.work.duration > 0 {
		ends = fmt.Sprintf(" (the work ends within %s)", span(l.work.duration))
		related = append(related, judge.Related(l.work.at, "%s, here", l.work.what))
	}
	if l.constant != nil {
		related = append(related, judge.Related(c.siteOf(l.constant), "%s is declared here", l.constant.Name()))
	}
	c.Report(judge.Fault{Kind: "long-ttl", Level: l.level, At: l.at, Class: l.class, Path: l.path, Related: append(related, others...),
		Message: fmt.Sprintf("a fixed TTL of %s that nothing renews is the recovery time%s: after a crash the key blocks everybody for "+
			"that long; take a short lease (30s) and renew it while the owner lives", span(l.ttl), ends)})
}

// span is a duration as people write it: 30m, and not 30m0s.
func span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
