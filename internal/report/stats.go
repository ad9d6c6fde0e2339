package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/leasevet/leasevet/internal/finding"
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

// Unknown is a call that the analysis could not see through.
type Unknown struct {
	Reason string
	finding.Place
}

// maxPlaces is how many places are shown for one reason.
const maxPlaces = 5

// WriteUnknowns writes why the analysis could not see through calls, the most frequent reason first, with some of the
// places. Every unknown is a place where a fault could stay unseen.
func WriteUnknowns(w io.Writer, dir string, all []Unknown) error {
	at := newBase(dir)
	byReason := map[string][]finding.Place{}
	for _, u := range all {
		byReason[clean(u.Reason)] = append(byReason[clean(u.Reason)], at.place(u.Place))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s not seen through\n", count(len(all), "call"))
	for _, reason := range byFrequency(byReason) {
		writeReason(&b, reason, byReason[reason])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func byFrequency(places map[string][]finding.Place) []string {
	reasons := make([]string, 0, len(places))
	for reason := range places {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(places[b]), len(places[a])), cmp.Compare(a, b))
	})
	return reasons
}

func writeReason(b *strings.Builder, reason string, places []finding.Place) {
	fmt.Fprintf(b, "%6d  %s\n", len(places), reason)
	slices.SortFunc(places, func(a, b finding.Place) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	for i, p := range places {
		if i == maxPlaces {
			fmt.Fprintf(b, "        ... and %d more\n", len(places)-i)
			return
		}
		if p.IsValid() {
			fmt.Fprintf(b, "        %s\n", placeText(p))
		}
	}
}
