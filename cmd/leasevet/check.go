package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/report"
)

// check analyses packages and reports what it found.
func (c *command) check(ctx context.Context, args []string) int {
	o, err := parseCheck(args)
	if errors.Is(err, flag.ErrHelp) {
		return c.help()
	}
	if err != nil {
		return c.fail(err)
	}
	for _, name := range o.reserved() {
		fmt.Fprintf(c.stderr, "leasevet: this version does not look for %s yet\n", name)
	}
	start := time.Now()
	progress := newProgress(c.progressWriter())
	result, err := c.analyse(ctx, driver.Config{
		Dir: o.dir, Patterns: o.patterns, Tags: o.tags, Tests: o.tests, Env: c.env, Progress: progress.update,
	})
	done, total := progress.end()
	if result == nil {
		return c.noResult(ctx, err, done, total)
	}
	status := c.report(o, result, time.Since(start))
	return c.troubles(ctx, err, result.Coverage, done, total, status)
}

// noResult says why there is nothing to report.
func (c *command) noResult(ctx context.Context, err error, done, total int) int {
	switch {
	case ctx.Err() != nil:
		return c.interrupted(done, total)
	case err == nil:
		return c.fail(errors.New("internal error: no result; please report it"))
	}
	return c.fail(err)
}

// troubles prints what was not analysed. Findings are worth having even then, so they are out already.
func (c *command) troubles(ctx context.Context, err error, cov driver.Coverage, done, total, status int) int {
	for _, p := range cov.Partial {
		status = c.fail(fmt.Errorf("%s: analysed only in part: %s", p.Package, p.Reason))
	}
	for _, p := range cov.Failed {
		status = c.fail(fmt.Errorf("%s: %s", p.Package, p.Reason))
	}
	switch {
	case ctx.Err() != nil:
		return c.interrupted(done, total)
	case err != nil:
		return c.fail(err)
	}
	return status
}

func (c *command) interrupted(done, total int) int {
	if total == 0 {
		return c.fail(errors.New("interrupted before any package was analysed"))
	}
	return c.fail(fmt.Errorf("interrupted: %d of %d packages were not analysed", total-done, total))
}

// report prints what is asked for, and says whether the findings make the run fail.
func (c *command) report(o *options, result *driver.Result, took time.Duration) int {
	why := unknowns(result.Units)
	shown, hidden := o.pick(withIgnores(o, result))
	r := report.Report{Dir: o.dir, Findings: shown, Coverage: coverage(result.Coverage, why)}
	status := clean
	if slices.ContainsFunc(shown, o.fails) {
		status = findings
	}
	if o.json {
		status = c.wrote(report.JSON(c.stdout, r), status)
	} else {
		status = c.wrote(report.Text(c.stdout, r, c.textOptions(o, hidden)), status)
	}
	if o.unknowns {
		status = c.wrote(report.WriteUnknowns(c.unknownsWriter(o), why), status)
	}
	if o.stats {
		status = c.wrote(report.WriteStats(c.stderr, r.Coverage, stats(result.Stats, took)), status)
	}
	return status
}

// unknownsWriter keeps the list of unknowns out of JSON.
func (c *command) unknownsWriter(o *options) io.Writer {
	if o.json {
		return c.stderr
	}
	return c.stdout
}

// pick is what -kinds and -level let through, and how many findings of the kinds are below the level.
func (o *options) pick(all []finding.Finding) (shown []finding.Finding, hidden int) {
	for _, f := range all {
		switch {
		case !o.wants(f):
		case f.Level.Rank() >= o.level.Rank():
			shown = append(shown, f)
		case f.Suppressed == nil:
			hidden++
		}
	}
	return shown, hidden
}

func (o *options) wants(f finding.Finding) bool {
	return len(o.kinds) == 0 || slices.Contains(o.kinds, f.Kind) || slices.Contains(o.kinds, f.Kind+"/"+f.Rule)
}

func (o *options) fails(f finding.Finding) bool {
	return f.Suppressed == nil && f.Level.Rank() >= o.failLevel.Rank()
}

// textOptions adapts the text to where it goes.
func (c *command) textOptions(o *options, hidden int) report.TextOptions {
	width, _ := strconv.Atoi(c.lookup("COLUMNS")) // 0 if it is not set: the default
	return report.TextOptions{
		Color:  !o.noColor && c.lookup("NO_COLOR") == "" && c.isTerminal(c.stdout),
		Width:  max(width, 0),
		Hidden: hidden,
	}
}

// coverage is the driver's coverage as report takes it, with the number of calls that could not be seen through.
func coverage(c driver.Coverage, why []report.Unknown) report.Coverage {
	unknowns := 0
	for _, u := range why {
		unknowns += u.Count
	}
	return report.Coverage{
		Packages: c.Packages, Analysed: c.Analysed, Irrelevant: c.Irrelevant,
		Partial: problems(c.Partial), Failed: problems(c.Failed), Unknowns: unknowns,
	}
}

func problems(list []driver.Problem) []report.Problem {
	out := make([]report.Problem, len(list))
	for i, p := range list {
		out[i] = report.Problem(p)
	}
	return out
}

// stats is what a run cost. What the operating system gave to the Go runtime never shrinks, so that it is the peak.
func stats(s driver.Stats, total time.Duration) report.Stats {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return report.Stats{
		Phases: []report.Phase{
			{Name: "list", Time: s.List}, {Name: "export", Time: s.Export}, {Name: "import", Time: s.Import},
			{Name: "analysis", Time: s.Analysis},
		},
		Counts: []report.Count{
			{Name: "listed", Value: s.Listed}, {Name: "exports", Value: s.Exports}, {Name: "units", Value: s.Units},
			{Name: "runs", Value: s.Runs}, {Name: "rounds", Value: s.Rounds},
		},
		Total: total, PeakMemory: m.Sys,
	}
}
