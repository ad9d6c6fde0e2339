// Command bench measures lockrt beside other locks on Redis, in one run on one server, and writes a page.
//
//	go run . -o ../../docs/lockrt-bench.md
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/zeromicro/go-zero/core/logx"

	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

func main() {
	out := flag.String("o", "", "write the page to this file")
	rounds := flag.Int("rounds", 5000, "rounds without contention")
	d := flag.Duration("d", 3*time.Second, "how long each run with contention lasts")
	flag.Parse()
	logx.Disable()
	page, err := run(*rounds, *d)
	if err == nil && *out != "" {
		err = os.WriteFile(*out, []byte(page), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	fmt.Print(page)
}

func run(rounds int, d time.Duration) (page string, err error) {
	t := new(redistest.Outside)
	err = t.Run(func() (err error) {
		page, err = measure(t, rounds, d)
		return err
	})
	return page, err
}

// measure runs everything and writes the page.
func measure(t redistest.TB, rounds int, d time.Duration) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `# lockrt beside other locks

Written by `+"`make lockrt-bench`"+`; do not edit. One run on %s, %d CPUs, %s, loopback, each library with a server of
its own. Microseconds and rates are this machine's, and it was not idle; ratios, counts and fairness carry over. A command
is one that a client sends; what scripts run in the server is not counted. "Client" stands for a process.

`, runtime.Version(), runtime.NumCPU(), serverVersion())
	for _, i := range impls {
		fmt.Fprintf(&b, "- **%s** %s: %s\n", i.name, version(i.name), i.note)
	}
	if err := uncontendedTable(&b, t, rounds); err != nil {
		return "", err
	}
	for _, clients := range []int{1, 8} {
		if err := contendedTable(&b, t, clients, d); err != nil {
			return "", err
		}
	}
	if err := idleTable(&b, t, d); err != nil {
		return "", err
	}
	err := goalTable(&b, t)
	return b.String(), err
}

func uncontendedTable(b *strings.Builder, t redistest.TB, rounds int) error {
	b.WriteString(`
## Without contention

Acquire and release by one goroutine, turn about with the floor; ratios are of the quantiles.

| | p50 ratio | p10, p90 ratio | floor p50 | p50 | commands | allocations | bytes |
|---|---|---|---|---|---|---|---|
`)
	for _, i := range impls {
		u, err := measureUncontended(i, redistest.Start(t).Addr, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", i.name, err)
		}
		fmt.Fprintf(b, "| %s | **%.2f** | %.2f, %.2f | %v | %v | %.1f | %.0f | %.0f |\n", i.name, u.Ratio, u.P10, u.P90,
			u.Floor.Round(time.Microsecond), u.P50.Round(time.Microsecond), u.Commands, u.Allocs, u.Bytes)
	}
	return nil
}

func contendedTable(b *strings.Builder, t redistest.TB, clients int, d time.Duration) error {
	fmt.Fprintf(b, `
## 64 goroutines in %d client(s) take one lock for 1 ms each, for %v

| | hand-overs/s | commands each | fairness (Jain) | starved | longest wait | failed releases | two owners |
|---|---|---|---|---|---|---|---|
`, clients, d)
	for _, i := range impls {
		c, err := measureContended(i, redistest.Start(t).Addr, clients, d)
		if err != nil {
			return fmt.Errorf("%s: %w", i.name, err)
		}
		fmt.Fprintf(b, "| %s | %.0f | **%.2f** | %.2f | %d | %v | %d | %d |\n", i.name, c.PerSecond, c.Commands, c.Jain,
			c.Starved, c.Longest.Round(time.Millisecond), c.Errors, c.TwoOwners)
	}
	return nil
}

func idleTable(b *strings.Builder, t redistest.TB, d time.Duration) error {
	b.WriteString(`
## 200 flows in 8 clients wait for a lock that is held, which is then released

| | commands/s while it is held | until all had it | commands for that |
|---|---|---|---|
`)
	for _, i := range impls {
		r, err := measureIdle(i, redistest.Start(t).Addr, d)
		if err != nil {
			fmt.Fprintf(b, "| %s | %.1f | %v | |\n", i.name, r.PerSecond, err)
			continue
		}
		fmt.Fprintf(b, "| %s | **%.1f** | %v | %d |\n", i.name, r.PerSecond, r.Drained.Round(time.Millisecond), r.Commands)
	}
	return nil
}

func goalTable(b *strings.Builder, t redistest.TB) error {
	goals, err := measureGoals(t)
	if err != nil {
		return err
	}
	b.WriteString("\n## Further goals of lockrt\n\n| | goal | measured |\n|---|---|---|\n")
	for _, g := range goals {
		fmt.Fprintf(b, "| %s | %s | %s |\n", g.what, g.aim, g.got)
	}
	return nil
}

// modules tells which module an implementation's version is that of.
var modules = map[string]string{
	"floor": "github.com/redis/go-redis/v9", "bsm/redislock": "github.com/bsm/redislock",
	"redsync": "github.com/go-redsync/redsync/v4", "go-zero": "github.com/zeromicro/go-zero", "rueidislock": "github.com/redis/rueidis",
}

func version(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == modules[name] {
			return "(" + m.Path + " " + m.Version + ")"
		}
	}
	return "(with go-redis as above)"
}

func serverVersion() string {
	out, err := exec.Command("redis-server", "--version").Output()
	if fields := strings.Fields(string(out)); err == nil && len(fields) > 2 {
		return "Redis " + strings.TrimPrefix(fields[2], "v=")
	}
	return "an unknown Redis"
}
