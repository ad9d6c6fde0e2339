package main

import (
	"fmt"
	"io"
	"runtime"
)

// page is what docs/bench.md is made of.
type page struct {
	module   string
	packages string
	runs     int
	rows     []result
}

// printPage writes the page. The ratio to the floor is what can be compared between machines.
func printPage(w io.Writer, p page) {
	fmt.Fprint(w, "<!-- Written by `make bench`. -->\n# What leasevet costs\n\n")
	fmt.Fprintf(w, "Measured on %s (%s) with %s on %s/%s, %d cores; the cheapest of %d runs.\n",
		p.module, p.packages, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), p.runs)
	fmt.Fprint(w, "CPU is user and system time of all processes, memory the peak of the largest one.\n\n")
	fmt.Fprint(w, "| command | state | CPU s | CPU / floor | clock s | peak MB | memory / floor |\n|---|---|--:|--:|--:|--:|--:|\n")
	for _, r := range p.rows {
		floor := p.rows[0].cost
		fmt.Fprintf(w, "| %s | %s | %.1f | %s | %.1f | %d | %s |\n", r.title, r.note,
			r.cpu.Seconds(), ratio(r.cpu.Seconds(), floor.cpu.Seconds()), r.wall.Seconds(),
			r.rss>>20, ratio(float64(r.rss), float64(floor.rss)))
	}
}

// ratio is a to b, or a dash where there is nothing to compare with.
func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", a/b)
}
