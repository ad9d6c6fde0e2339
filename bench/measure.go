package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// row is one command to measure.
type row struct {
	title string // as the table shows it
	note  string // cold or warm, and why
	// command makes the command for one run. What it does itself, such as building a tool, is not measured.
	command func() (*exec.Cmd, error)
	// prepare runs the command once more before the first run, unmeasured, so that what is compiled for it is compiled.
	prepare bool
	// findings allows exit status 1: the command found something, which is its work.
	findings bool
}

// cost is what one run took.
type cost struct {
	cpu, wall time.Duration
	rss       int64 // bytes, of the largest process
}

// result is a measured row.
type result struct {
	row
	cost
}

// measureAll measures the rows in order, each as often as asked for.
func measureAll(all []row, runs int) ([]result, error) {
	var results []result
	for _, r := range all {
		fmt.Fprintln(os.Stderr, "measuring", r.title, "-", r.note)
		best, err := measure(r, runs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.title, err)
		}
		results = append(results, result{r, best})
	}
	return results, nil
}

// measure keeps the run that cost the least CPU: whatever disturbs a run makes it dearer.
func measure(r row, runs int) (cost, error) {
	if r.prepare {
		if _, err := once(r); err != nil {
			return cost{}, err
		}
	}
	var best cost
	for i := range runs {
		c, err := once(r)
		if err != nil {
			return cost{}, err
		}
		if i == 0 || c.cpu < best.cpu {
			best = c
		}
	}
	return best, nil
}

// once runs the command. The operating system adds up the command and every process that it waited for.
func once(r row) (cost, error) {
	cmd, err := r.command()
	if err != nil {
		return cost{}, err
	}
	var log tail
	cmd.Env, cmd.Stderr = environment(), &log
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil || err != nil && !(r.findings && cmd.ProcessState.ExitCode() == 1) {
		return cost{}, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, log)
	}
	state := cmd.ProcessState
	return cost{cpu: state.UserTime() + state.SystemTime(), wall: wall, rss: peak(state)}, nil
}

// tail keeps the end of what a command prints.
type tail []byte

// Write keeps the last 2000 bytes.
func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-2000):]
	return len(p), nil
}

// String is what was kept.
func (t tail) String() string { return string(t) }
