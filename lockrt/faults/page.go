package main

import (
	"fmt"
	"os/exec"
	"sort"
	"strings"
	"time"
)

// render makes the page.
func render(results []result, took time.Duration) string {
	var b strings.Builder
	total, lossy := sum(results, func(r result) bool { return !r.Lossy }), sum(results, func(r result) bool { return r.Lossy })
	fmt.Fprintf(&b, `# lockrt under faults

Written by `+"`make faults RUNS=%d`"+`; do not edit.

%d runs in %v, seeds %d to %d, on %s. Each run has two to four processes with one to four flows each,
which take two locks for two and a half seconds in all three ways of waiting, with leases between 0.4 and 1 s, and write
a guarded value under them, also after their lease was lost. Meanwhile faults are drawn at random. What was drawn follows
from the seed: `+"`cd lockrt/faults && go run . -seed N`"+` does it again.

`, len(results), len(results), took.Round(time.Second), results[0].Seed, results[len(results)-1].Seed, serverVersion())
	b.WriteString(`| | Redis kept what it acknowledged | Redis lost acknowledged writes |
|---|---|---|
`)
	row := func(name string, f func(totals) any) { fmt.Fprintf(&b, "| %s | %v | %v |\n", name, f(total), f(lossy)) }
	row("runs", func(t totals) any { return t.runs })
	row("leases acquired", func(t totals) any { return t.acquired })
	row("leases lost (stopped too long, Redis away too long, forgotten)", func(t totals) any { return t.lost })
	row("guarded writes of stale owners that the store refused", func(t totals) any { return t.stale })
	row("**validity windows that overlap**", func(t totals) any { return t.overlaps })
	row("**locks deleted under an owner that renewed in time**", func(t totals) any { return t.deletes })
	row("**fences that fell or stood still**", func(t totals) any { return t.fences })
	row("**histories of the guarded register that are not linearizable**", func(t totals) any { return t.registers })
	fmt.Fprintf(&b, `
Violations: **%d**. In the right column mutual exclusion cannot be promised by any lock on one Redis, so its first two bold
rows are counted and not judged; fences and the register are judged in both.

| fault | times |
|---|---|
`, violations(results))
	for _, f := range countFaults(results) {
		fmt.Fprintf(&b, "| %s | %d |\n", f.name, f.n)
	}
	b.WriteString(`
A validity window is from the return of the acquisition to the last look at the lease's context that was fine. Registers
are checked with porcupine; a write whose end nobody saw may have happened or not.
`)
	return b.String()
}

type totals struct {
	runs, acquired, lost, stale, overlaps, deletes, fences, registers int
}

func sum(results []result, which func(result) bool) totals {
	var t totals
	for _, r := range results {
		if !which(r) {
			continue
		}
		t.runs++
		t.acquired += r.Acquired
		t.lost += r.Lost
		t.stale += r.StaleWrites
		t.overlaps += len(r.Overlaps)
		t.deletes += len(r.ForeignDeletes)
		t.fences += len(r.verdict.Fences)
		if r.Register != "" {
			t.registers++
		}
	}
	return t
}

type faultCount struct {
	name string
	n    int
}

func countFaults(results []result) []faultCount {
	counts := map[string]int{}
	for _, r := range results {
		for _, f := range r.Faults {
			counts[f]++
		}
	}
	var out []faultCount
	for name, n := range counts {
		out = append(out, faultCount{name, n})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].n > out[j].n || out[i].n == out[j].n && out[i].name < out[j].name })
	return out
}

func serverVersion() string {
	out, err := exec.Command("redis-server", "--version").Output()
	if fields := strings.Fields(string(out)); err == nil && len(fields) > 2 {
		return "Redis " + strings.TrimPrefix(fields[2], "v=")
	}
	return "an unknown Redis"
}
