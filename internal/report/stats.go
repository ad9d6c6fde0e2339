package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Stats is what a run cost.
type Stats struct {
	Phases     []Phase // in the order in which they ran
	Counts     []Count
	Total      time.Duration
	PeakMemory uint64 // bytes
}

// Phase is a part of a run.
type Phase struct {
	Name string
	Time time.Duration
}

// Count is a number about a run.
type Count struct {
	Name  string
	Value int
}

// WriteStats writes what a run looked at and what it cost, one line each, and the reasons where it was not everything.
func WriteStats(w io.Writer, c Coverage, s Stats) error {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s"+format+"\n", append([]any{name}, args...)...)
	}
	row("packages", "%d (%d analysed, %d irrelevant, %d only in part, %d failed)",
		c.Packages, c.Analysed-c.Irrelevant, c.Irrelevant, len(c.Partial), len(c.Failed))
	row("unknowns", "%s", count(c.Unknowns, "call"))
	for _, n := range s.Counts {
		row(n.Name, "%d", n.Value)
	}
	var phases []string
	for _, p := range s.Phases {
		phases = append(phases, p.Name+" "+shortTime(p.Time))
	}
	row("time", "%s (%s)", shortTime(s.Total), strings.Join(phases, ", "))
	row("peak memory", "%d MiB", s.PeakMemory>>20)
	for _, p := range c.Partial {
		row("only in part", " %s: %s", p.Package, clean(p.Reason))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func shortTime(d time.Duration) string {
	if d >= 100*time.Millisecond {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}

// Unknown says how often one package has calls that the analysis could not see through for one reason.
type Unknown struct {
	Reason  string
	Package string
	Count   int
}

// maxPackages is how many packages are shown for one reason.
const maxPackages = 5

// WriteUnknowns writes why the analysis could not see through calls, the most frequent reason first, with the packages
// that have most of them. Each is a place where a fault could stay unseen.
func WriteUnknowns(w io.Writer, all []Unknown) error {
	byReason, total := map[string]*Unknown{}, 0
	for _, u := range all {
		if byReason[u.Reason] == nil {
			byReason[u.Reason] = &Unknown{Reason: u.Reason}
		}
		byReason[u.Reason].Count += u.Count
		total += u.Count
	}
	var reasons []Unknown
	for _, u := range byReason {
		reasons = append(reasons, *u)
	}
	slices.SortFunc(reasons, moreOften)
	var b strings.Builder
	fmt.Fprintf(&b, "%s not seen through\n", count(total, "call"))
	for _, r := range reasons {
		fmt.Fprintf(&b, "%6d  %s\n", r.Count, clean(r.Reason))
		writePackages(&b, r.Reason, all)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// moreOften orders by count, the largest first.
func moreOften(a, b Unknown) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Package, b.Package))
}

func writePackages(b *strings.Builder, reason string, all []Unknown) {
	var with []Unknown
	for _, u := range all {
		if u.Reason == reason {
			with = append(with, u)
		}
	}
	slices.SortFunc(with, moreOften)
	for i, u := range with {
		if i == maxPackages {
			fmt.Fprintf(b, "        ... and in %s\n", count(len(with)-i, "more package"))
			return
		}
		fmt.Fprintf(b, "        %d in %s\n", u.Count, u.Package)
	}
}
